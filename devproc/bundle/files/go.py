"""go/: a package around the C interface, made from the bundle's description."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from devproc.bundle.interface.description import (
    BundleDescription,
    EntryDescription,
    TensorEntry,
)
from devproc.bundle.interface.names import camel_case, distinct
from devproc.ir.dtypes import element_count

_TYPES = {
    "float": "float32",
    "double": "float64",
    **{f"int{bits}_t": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": f"uint{bits}" for bits in (8, 16)},
}

_WORDS = frozenset(
    "break case chan const continue default defer else fallthrough for func go goto if "
    "import interface map package range return select struct switch type var main".split()
)

_PACKAGE = Template("""\
// Package $package is $name, an inference program for $machine, compiled by DevProc.
//
// Written by `devproc bundle`; do not edit.
package $package

/*
#cgo CFLAGS: -I$${SRCDIR}/..
#cgo LDFLAGS: $${SRCDIR}/../lib$name.a -pthread -ldl
#include <stdlib.h>
#include "$name.h"

static int create(const void *weights, uint64_t size, uint32_t threads, const char *cpu,
                  struct $name **made, char *message, uint64_t message_size) {
  ${name}_options options = ${NAME}_OPTIONS;
  options.weights = weights;
  options.weights_size = size;
  options.threads = threads;
  options.cpu = cpu;
  options.message = message;
  options.message_size = message_size;
  return ${name}_create(&options, made);
}

$calls
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// Aligned is the content of a file in C's memory, aligned to 64 bytes.
type Aligned struct {
	pointer unsafe.Pointer
	size    uint64
}

// ReadAligned reads a file; call Free when no program uses it any more.
func ReadAligned(path string) (*Aligned, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	size := (len(data) + 64) / 64 * 64
	pointer := C.aligned_alloc(64, C.size_t(size))
	if pointer == nil {
		return nil, errors.New("the system has no memory left")
	}
	copy(unsafe.Slice((*byte)(pointer), size), data)
	return &Aligned{pointer, uint64(len(data))}, nil
}

// Free gives the memory back.
func (a *Aligned) Free() {
	C.free(a.pointer)
	a.pointer, a.size = nil, 0
}

// Program is an instance. It serves one call at a time; make several for several threads.
type Program struct {
	instance *C.struct_$name
}

// Settings of an instance; 0 threads and an empty CPU are the defaults of the library.
type Settings struct {
	Threads uint32
	CPU     string
}

// New makes an instance$of_weights.
func New(${parameter}settings Settings) (*Program, error) {
	var cpu *C.char
	if settings.CPU != "" {
		cpu = C.CString(settings.CPU)
		defer C.free(unsafe.Pointer(cpu))
	}
	message := (*C.char)(C.calloc(1, 320))
	defer C.free(unsafe.Pointer(message))
	var instance *C.struct_$name
	status := C.create($arguments, C.uint32_t(settings.Threads), cpu, &instance, message, 320)
	if status == 0 {
		return &Program{instance}, nil
	}
	text := C.GoString(message)
	if text == "" {
		text = C.GoString(C.${name}_error_text(C.${name}_status(status)))
	}
	return nil, errors.New(text)
}

// Close destroys the instance.
func (p *Program) Close() error {
	err := p.check(C.${name}_destroy(p.instance))
	p.instance = nil
	return err
}

// CPU is the processor whose code the instance runs.
func (p *Program) CPU() string {
	return C.GoString(C.${name}_cpu(p.instance))
}

// Reset gives all states their first values.
func (p *Program) Reset() error {
	return p.check(C.${name}_reset(p.instance))
}

// GetState copies the bytes of a state; the states are: $states.
func (p *Program) GetState(number uint32, bytes []byte) error {
	values := pointer(bytes)
	return p.check(C.${name}_get_state(p.instance, C.uint32_t(number), values, C.uint64_t(len(bytes))))
}

// SetState assigns the bytes of a state.
func (p *Program) SetState(number uint32, bytes []byte) error {
	values := pointer(bytes)
	return p.check(C.${name}_set_state(p.instance, C.uint32_t(number), values, C.uint64_t(len(bytes))))
}

// SelfTest runs the golden cases, the content of $name.golden, and resets all states.
func (p *Program) SelfTest(golden *Aligned) error {
	return p.check(C.${name}_selftest(p.instance, golden.pointer, C.uint64_t(golden.size), nil, nil))
}

func (p *Program) check(status C.${name}_status) error {
	if status == 0 {
		return nil
	}
	return errors.New(C.GoString(C.${name}_last_error(p.instance)))
}

func pointer[T any](values []T) unsafe.Pointer {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Pointer(&values[0])
}

func length(what string, found, expected int) error {
	if found == expected {
		return nil
	}
	return fmt.Errorf("%s has %d elements, %d are expected", what, found, expected)
}

$entries""")

_RUN = Template("""\
// $method is one call; it fails for slices of a wrong length.
func (p *Program) $method(inputs ${type_}Inputs, outputs ${type_}Outputs) error {
$checks
	return p.check(C.call_$prefix($arguments))
}
""")

_SELFTEST = Template("""\
// Runs the golden cases: go run ./selftest
package main

import (
	"fmt"
	"log"

	"$package"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
$make
	golden := must($package.ReadAligned("../$name.golden"))
	if err := program.SelfTest(golden); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("$name: all golden cases pass on %s\\n", program.CPU())
}
""")


def go_files(bundle: BundleDescription) -> dict[str, str]:
    """The files of the package by their path in the bundle."""
    name, package = bundle.name, _package(bundle.name)
    embedded = bundle.weights.where == "embed"
    read = "" if embedded else f'must({package}.ReadAligned("../{name}.weights")), '
    make = f"\tprogram := must({package}.New({read}{package}.Settings{{}}))"
    return {
        "go/go.mod": f"module {package}\n\ngo 1.18\n",
        "go/bundle.go": _text(bundle, package, embedded),
        "go/selftest/main.go": _SELFTEST.substitute(
            package=package, name=name, make=make
        ),
    }


def _package(name: str) -> str:
    word = name.lower()
    return f"{word}_" if word in _WORDS else word


def _text(bundle: BundleDescription, package: str, embedded: bool) -> str:
    own = "weights.pointer, C.uint64_t(weights.size)"
    return _PACKAGE.substitute(
        package=package,
        name=bundle.name,
        NAME=bundle.name.upper(),
        machine=bundle.machine,
        calls="\n".join(_c_call(bundle.name, entry) for entry in bundle.entries),
        of_weights="" if embedded else f" on the content of {bundle.name}.weights",
        parameter="" if embedded else "weights *Aligned, ",
        arguments="nil, 0" if embedded else own,
        states=", ".join(state.name for state in bundle.states) or "none",
        entries="\n".join(map(_entry, bundle.entries)),
    )


def _c_call(name: str, entry: EntryDescription) -> str:
    """A C function that takes each tensor: Go may not pass pointers to pointers."""
    inputs = [f"const {t.c_type} *in{n}" for n, t in enumerate(entry.inputs)]
    outputs = [f"{t.c_type} *out{n}" for n, t in enumerate(entry.outputs)]
    parameters = ", ".join([f"struct {name} *instance", *inputs, *outputs])
    given = ", ".join(f"in{n}" for n in range(len(inputs))) or "0"
    made = ", ".join(f"out{n}" for n in range(len(outputs))) or "0"
    return (
        f"static {name}_status call_{entry.prefix}({parameters}) {{\n"
        f"  {entry.prefix}_inputs inputs = {{{given}}};\n"
        f"  {entry.prefix}_outputs outputs = {{{made}}};\n"
        f"  return {entry.prefix}_run(instance, &inputs, &outputs);\n}}\n"
    )


def _fields(tensors: Sequence[TensorEntry]) -> list[str]:
    return distinct((tensor.member for tensor in tensors), camel_case)


def _entry(entry: EntryDescription) -> str:
    """The types of the inputs and outputs, and the call."""
    type_ = camel_case(entry.name)
    texts: list[str] = []
    checks: list[str] = []
    arguments = ["p.instance"]
    for kind, tensors in (("inputs", entry.inputs), ("outputs", entry.outputs)):
        lines: list[str] = []
        for field, tensor in zip(_fields(tensors), tensors, strict=True):
            shape = ", ".join(map(str, tensor.shape))
            about = [
                f"{tensor.dtype} ({shape})",
                tensor.layout,
                tensor.meaning,
                tensor.unit,
            ]
            own, count = f"{kind}.{field}", element_count(tensor.shape)
            lines.append(f"\t// {'; '.join(filter(None, about))}")
            lines.append(f"\t{field} []{_TYPES[tensor.c_type]}")
            checks.append(
                f"\tif err := length(\"{kind[:-1]} '{tensor.member}'\", len({own}), {count}); "
                "err != nil {\n\t\treturn err\n\t}"
            )
            pointer = f"pointer({own})"
            arguments.append(f"(*C.{tensor.c_type})({pointer})")
        body = "\n".join(["", *lines, ""])
        title = camel_case(kind)
        texts.append(
            f"// {type_}{title} of a call.\ntype {type_}{title} struct {{{body}}}\n"
        )
    run = _RUN.substitute(
        method=f"{type_}Run" if type_ else "Run",
        type_=type_,
        prefix=entry.prefix,
        checks="\n".join(checks),
        arguments=", ".join(arguments),
    )
    return "\n".join([*texts, run])
