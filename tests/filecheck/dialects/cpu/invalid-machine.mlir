// RUN: devproc-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: unknown processor 'pentium'; one of native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, aarch64
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "pentium", vector_bits = 128>>} {}

// -----

// CHECK: processor 'x86-64-v3' has vector_bits = 256, vector_registers = 16, missing = []
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<processor = "x86-64-v3", vector_bits = 512>>} {}

// -----

// CHECK: unknown instruction 'warp' in missing; one of fma, round, half
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 128, missing = ["warp"]>>} {}

// -----

// CHECK: unknown extension 'amx' in extensions; one of avx512bf16
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 512, extensions = ["amx"]>>} {}

// -----

// CHECK: vector_registers must be 8 or more, got 2
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 128, vector_registers = 2>>} {}

// -----

// CHECK: vector_bits must be 128, 256 or 512
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 99>>} {}

// -----

// CHECK: prefetch_level must be 1 or 2, got 3
builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1, cpu = #cpu.machine<vector_bits = 128, prefetch_level = 3>>} {}

// -----

// CHECK: the option 'lanes' of #cpu.machine does not exist
builtin.module attributes {a = #cpu.machine<vector_bits = 128, lanes = 4>} {}

// -----

// CHECK: the option 'vector_bits' of #cpu.machine is given twice
builtin.module attributes {a = #cpu.machine<vector_bits = 128, vector_bits = 128>} {}

// -----

// CHECK: #cpu.machine needs the option 'vector_bits'
builtin.module attributes {a = #cpu.machine<missing = ["fma"]>} {}

// -----

// CHECK: unknown device 'tpu' of the target
builtin.module attributes {devproc.target = #dev.target<"cpu", tpu = #cpu.machine<vector_bits = 128>>} {}
