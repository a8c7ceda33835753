"""Attributes that are computed on first access."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy_property(Generic[T]):
    """`functools.cached_property` without the lock that it has before Python 3.12.

    All objects of a class share that lock: a process forked while a thread computes the
    attribute of one object would deadlock on any other. Without it, two threads may compute
    the same value twice.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> lazy_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> lazy_property[T] | T:
        if instance is None:
            return self
        # The instance attribute shadows this descriptor from now on.
        value = instance.__dict__[self._name] = self._function(instance)
        return value
