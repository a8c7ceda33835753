// RUN: devproc-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: unknown cpu 'pentium'; one of native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, aarch64
builtin.module attributes {devproc.target = #dev.target<"cpu", cpu = "pentium", vector_bits = 128, threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {}

// -----

// CHECK: cpu 'x86-64-v3' has vector_bits = 256, vector_registers = 16, missing = []
builtin.module attributes {devproc.target = #dev.target<"cpu", cpu = "x86-64-v3", vector_bits = 512, threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {}

// -----

// CHECK: unknown instruction 'warp' in missing; one of fma, round, half
builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 128, missing = ["warp"], threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {}

// -----

// CHECK: unknown extension 'amx'; one of avx512bf16
builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 512, extensions = ["amx"], threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {}

// -----

// CHECK: vector_registers must be 8 or more, got 2
builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 128, vector_registers = 2, threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {}

// -----

// CHECK: vector_bits must be 128, 256 or 512
builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 99, threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {}

// -----

// CHECK: prefetch_level must be 1 or 2, got 3
builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 128, prefetch_level = 3, threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {}
