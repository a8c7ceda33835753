"""Attributes that are computed when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy_property(Generic[T]):
    """`functools.cached_property` without the lock that it has before Python 3.12.

    That lock is one for all objects of a class: a process forked while a thread computes
    the attribute of some object would wait for it, for any other object, without an end.
    Two threads at once compute the same value twice.
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
        # From now on the instance has the attribute itself, and this is not called.
        value = instance.__dict__[self._name] = self._function(instance)
        return value
