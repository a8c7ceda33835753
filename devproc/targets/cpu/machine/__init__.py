"""The processor that code is made for: by name, as an attribute, and this one."""
