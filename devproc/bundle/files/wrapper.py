"""NAME.hpp: the interface for C++17, header only; errors are exceptions."""

from __future__ import annotations

from string import Template

from devproc.bundle.code.plan import Plan
from devproc.bundle.interface.tensors import EntryTensors

_WRAPPER = Template("""\
// $name for C++17. Written by `devproc bundle`; do not edit.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "$name.h"

namespace $space {

class Error : public std::runtime_error {
 public:
  Error(${name}_status status, const std::string &text) : std::runtime_error(text), status(status) {}
  ${name}_status status;
};

// An instance; it is destroyed with the object.
class Program {
 public:
  explicit Program(${name}_options options = ${NAME}_OPTIONS) {
    char message[320] = "";
    options.message = message;
    options.message_size = sizeof message;
    const ${name}_status status = ${name}_create(&options, &instance_);
    if (status) throw Error(status, message[0] ? message : ${name}_error_text(status));
  }
  Program(Program &&other) noexcept : instance_(std::exchange(other.instance_, nullptr)) {}
  Program &operator=(Program &&other) noexcept {
    std::swap(instance_, other.instance_);
    return *this;
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  ~Program() { ${name}_destroy(instance_); }

$runs
  void reset() { require(${name}_reset(instance_)); }
  ${name}_report selftest(const void *golden, uint64_t size) {
    ${name}_report report{};
    report.struct_size = sizeof report;
    require(${name}_selftest(instance_, golden, size, nullptr, &report));
    return report;
  }
  ${name} *get() { return instance_; }

 private:
  void require(${name}_status status) {
    if (status) throw Error(status, ${name}_last_error(instance_));
  }
  ${name} *instance_ = nullptr;
};

}  // namespace $space
""")


_RUN = Template("""\
  void $run(const ${prefix}_inputs &inputs, const ${prefix}_outputs &outputs) {
    require(${prefix}_run(instance_, &inputs, &outputs));
  }""")


def wrapper(plan: Plan) -> str:
    """The text of NAME.hpp. Its namespace is NAME_bundle: NAME is the instance in C."""
    name = plan.name
    runs = "\n".join(_run(name, entry) for entry in plan.description.entries)
    return _WRAPPER.substitute(
        name=name, NAME=name.upper(), space=f"{name}_bundle", runs=runs
    )


def _run(name: str, entry: EntryTensors) -> str:
    method = f"{entry.name}_run" if entry.name else "run"
    return _RUN.substitute(prefix=entry.prefix(name), run=method)
