"""Tests of devices as plug-ins; `numpy_device` is the smallest one."""
