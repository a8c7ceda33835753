"""rust/: a crate around the C interface, made from the bundle's description."""

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
    "float": "f32",
    "double": "f64",
    **{f"int{bits}_t": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": f"u{bits}" for bits in (8, 16)},
}

_WORDS = frozenset(
    "abstract as async await become box break const continue crate do dyn else enum extern "
    "false final fn for if impl in let loop macro match mod move mut override priv pub ref "
    "return self Self static struct super trait true try type typeof unsafe unsized use "
    "virtual where while yield".split()
)

_NULL_ERROR = 1
"""The status for a slice that does not hold its tensor, `ERROR_NULL`."""

_LIBRARY = Template("""\
//! $name: an inference program for $machine, compiled by DevProc.
//!
//! Written by `devproc bundle`; do not edit.

use std::ffi::{c_char, c_void, CStr};
use std::sync::Arc;

#[repr(C)]
struct Options {
    struct_size: u32,
    abi_version: u32,
    interface_id: u64,
    weights: *const c_void,
    weights_size: u64,
    memory: *mut c_void,
    memory_size: u64,
    parallel_for: *const c_void,
    user: *mut c_void,
    message: *mut c_char,
    message_size: u64,
    cpu: *const c_char,
    threads: u32,
    check_weights: u32,
}

extern "C" {
    fn ${name}_create(options: *const Options, made: *mut *mut c_void) -> i32;
    fn ${name}_destroy(instance: *mut c_void) -> i32;
    fn ${name}_error_text(status: i32) -> *const c_char;
    fn ${name}_last_error(instance: *const c_void) -> *const c_char;
    fn ${name}_cpu(instance: *const c_void) -> *const c_char;
    fn ${name}_reset(instance: *mut c_void) -> i32;
    fn ${name}_get_state(instance: *mut c_void, state: u32, values: *mut c_void, bytes: u64) -> i32;
    fn ${name}_set_state(instance: *mut c_void, state: u32, values: *const c_void, bytes: u64) -> i32;
    fn ${name}_selftest(
        instance: *mut c_void,
        golden: *const c_void,
        size: u64,
        memory: *mut c_void,
        report: *mut c_void,
    ) -> i32;
$externs
}

/// A status of the C interface, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub status: i32,
    pub text: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

fn text_of(pointer: *const c_char) -> String {
    // All texts of the interface end in a zero and are never NULL.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Block([u8; 64]);

/// The content of a file, aligned to 64 bytes.
pub struct Aligned {
    blocks: Vec<Block>,
    size: usize,
}

impl Aligned {
    pub fn read(path: impl AsRef<std::path::Path>) -> std::io::Result<Arc<Aligned>> {
        let data = std::fs::read(path)?;
        let mut blocks = vec![Block([0; 64]); data.len().div_ceil(64)];
        for (block, bytes) in blocks.iter_mut().zip(data.chunks(64)) {
            block.0[..bytes.len()].copy_from_slice(bytes);
        }
        Ok(Arc::new(Aligned { blocks, size: data.len() }))
    }

    fn pointer(&self) -> *const c_void {
        self.blocks.as_ptr().cast()
    }
}

fn check(what: &str, found: usize, expected: usize) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    let text = format!("{what} has {found} elements, {expected} are expected");
    Err(Error { status: $null, text })
}

/// Settings of an instance; 0 threads and no `cpu` are the defaults of the library.
#[derive(Default)]
pub struct Settings<'a> {
    pub threads: u32,
    pub check_weights: bool,
    pub cpu: Option<&'a CStr>,
}

$structs
/// An instance. It serves one call at a time; make several for several threads.
pub struct Program {
    instance: *mut c_void,
    _weights: $holder,
}

unsafe impl Send for Program {}

impl Program {
    pub fn new($weights) -> Result<Program, Error> {
        Program::with(${given}Settings::default())
    }

    pub fn with(${weights_first}settings: Settings) -> Result<Program, Error> {
        let mut message = [0 as c_char; 320];
        let options = Options {
            struct_size: std::mem::size_of::<Options>() as u32,
            abi_version: $abi_version,
            interface_id: $interface_id,
            weights: $pointer,
            weights_size: $size,
            memory: std::ptr::null_mut(),
            memory_size: 0,
            parallel_for: std::ptr::null(),
            user: std::ptr::null_mut(),
            message: message.as_mut_ptr(),
            message_size: message.len() as u64,
            cpu: settings.cpu.map_or(std::ptr::null(), CStr::as_ptr),
            threads: settings.threads,
            check_weights: settings.check_weights as u32,
        };
        let mut instance = std::ptr::null_mut();
        let status = unsafe { ${name}_create(&options, &mut instance) };
        if status == 0 {
            return Ok(Program { instance, _weights: $kept });
        }
        let text = if message[0] == 0 {
            text_of(unsafe { ${name}_error_text(status) })
        } else {
            text_of(message.as_ptr())
        };
        Err(Error { status, text })
    }

$methods
    /// The processor whose code the instance runs.
    pub fn cpu(&self) -> String {
        text_of(unsafe { ${name}_cpu(self.instance) })
    }

    /// All states get their first values.
    pub fn reset(&mut self) -> Result<(), Error> {
        let status = unsafe { ${name}_reset(self.instance) };
        self.require(status)
    }

    /// Copies the bytes of a state; the states are: $states.
    pub fn get_state(&mut self, number: u32, bytes: &mut [u8]) -> Result<(), Error> {
        let (values, size) = (bytes.as_mut_ptr().cast(), bytes.len() as u64);
        let status = unsafe { ${name}_get_state(self.instance, number, values, size) };
        self.require(status)
    }

    /// Assigns the bytes of a state.
    pub fn set_state(&mut self, number: u32, bytes: &[u8]) -> Result<(), Error> {
        let (values, size) = (bytes.as_ptr().cast(), bytes.len() as u64);
        let status = unsafe { ${name}_set_state(self.instance, number, values, size) };
        self.require(status)
    }

    /// Runs the golden cases, the content of $name.golden, and resets all states.
    pub fn selftest(&mut self, golden: &Aligned) -> Result<(), Error> {
        let (data, size, null) = (golden.pointer(), golden.size as u64, std::ptr::null_mut());
        let status = unsafe { ${name}_selftest(self.instance, data, size, null, null) };
        self.require(status)
    }

    fn require(&self, status: i32) -> Result<(), Error> {
        if status == 0 {
            return Ok(());
        }
        Err(Error { status, text: text_of(unsafe { ${name}_last_error(self.instance) }) })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        unsafe { ${name}_destroy(self.instance) };
    }
}
""")

_METHOD = Template("""\
    /// One call; fails with an error for slices of a wrong length.
    pub fn $method(&mut self, inputs: &${type_}Inputs, outputs: &mut ${type_}Outputs) -> Result<(), Error> {
$checks
        let given: [*const c_void; $input_count] = [$given];
        let made: [*mut c_void; $output_count] = [$made];
        let status = unsafe { ${prefix}_run(self.instance, given.as_ptr(), made.as_ptr()) };
        self.require(status)
    }
""")

_MANIFEST = Template("""\
[package]
name = "$name"
version = "1.0.0"
edition = "2021"
links = "$name"
""")

_BUILD = Template("""\
fn main() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    println!("cargo:rustc-link-search=native={folder}/..");
    println!("cargo:rustc-link-lib=static=$name");
}
""")

_SELFTEST = Template("""\
//! Runs the golden cases: cargo run --example selftest

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let golden = $crate_::Aligned::read(folder.join("$name.golden"))?;
$make
    program.selftest(&golden)?;
    println!("$name: all golden cases pass on {}", program.cpu());
    Ok(())
}
""")


def rust_files(bundle: BundleDescription) -> dict[str, str]:
    """The files of the crate by their path in the bundle."""
    name, embedded = bundle.name, bundle.weights.where == "embed"
    make = (
        f"    let mut program = {name}::Program::new()?;"
        if embedded
        else f'    let weights = {name}::Aligned::read(folder.join("{name}.weights"))?;\n'
        f"    let mut program = {name}::Program::new(weights)?;"
    )
    return {
        "rust/Cargo.toml": _MANIFEST.substitute(name=name),
        "rust/build.rs": _BUILD.substitute(name=name),
        "rust/src/lib.rs": _library(bundle, embedded),
        "rust/examples/selftest.rs": _SELFTEST.substitute(
            name=name, crate_=name, make=make
        ),
    }


def _library(bundle: BundleDescription, embedded: bool) -> str:
    weights = "" if embedded else "weights: Arc<Aligned>"
    return _LIBRARY.substitute(
        name=bundle.name,
        machine=bundle.machine,
        null=_NULL_ERROR,
        abi_version=bundle.abi_version,
        interface_id=bundle.interface_id,
        externs="\n".join(
            f"    fn {entry.prefix}_run(instance: *mut c_void, inputs: *const *const c_void, "
            "outputs: *const *mut c_void) -> i32;"
            for entry in bundle.entries
        ),
        structs="\n".join(map(_structs, bundle.entries)),
        methods="\n".join(map(_method, bundle.entries)),
        states=", ".join(state.name for state in bundle.states) or "none",
        weights=weights,
        weights_first=weights and f"{weights}, ",
        given="" if embedded else "weights, ",
        holder="Option<Arc<Aligned>>" if embedded else "Arc<Aligned>",
        kept="None" if embedded else "weights",
        pointer="std::ptr::null()" if embedded else "weights.pointer()",
        size="0" if embedded else "weights.size as u64",
    )


def _field(member: str) -> str:
    if member in _WORDS:
        return (
            f"{member}_"
            if member in ("self", "Self", "super", "crate")
            else f"r#{member}"
        )
    return member


def _fields(tensors: Sequence[TensorEntry]) -> list[str]:
    return distinct((tensor.member for tensor in tensors), _field)


def _structs(entry: EntryDescription) -> str:
    """The inputs and the outputs: a slice for each."""
    texts: list[str] = []
    groups = (("Inputs", entry.inputs, "&'a "), ("Outputs", entry.outputs, "&'a mut "))
    for title, tensors, reference in groups:
        lines: list[str] = []
        for field, tensor in zip(_fields(tensors), tensors, strict=True):
            shape = ", ".join(map(str, tensor.shape))
            about = [
                f"{tensor.dtype} ({shape})",
                tensor.layout,
                tensor.meaning,
                tensor.unit,
            ]
            lines.append(f"    /// {'; '.join(filter(None, about))}")
            lines.append(f"    pub {field}: {reference}[{_TYPES[tensor.c_type]}],")
        lifetime = "<'a>" if tensors else ""
        body = "\n".join(["", *lines, ""])
        texts.append(
            f"pub struct {camel_case(entry.name)}{title}{lifetime} {{{body}}}\n"
        )
    return "\n".join(texts)


def _method(entry: EntryDescription) -> str:
    checks: list[str] = []
    pointers: list[list[str]] = []
    groups = (
        ("input", entry.inputs, "as_ptr"),
        ("output", entry.outputs, "as_mut_ptr"),
    )
    for kind, tensors, pointer in groups:
        fields = _fields(tensors)
        for field, tensor in zip(fields, tensors, strict=True):
            count = element_count(tensor.shape)
            checks.append(
                f"        check(\"{kind} '{tensor.member}'\", {kind}s.{field}.len(), {count})?;"
            )
        pointers.append([f"{kind}s.{field}.{pointer}().cast()" for field in fields])
    return _METHOD.substitute(
        method=f"{entry.name}_run" if entry.name else "run",
        type_=camel_case(entry.name),
        prefix=entry.prefix,
        checks="\n".join(checks),
        input_count=len(entry.inputs),
        output_count=len(entry.outputs),
        given=", ".join(pointers[0]),
        made=", ".join(pointers[1]),
    )
