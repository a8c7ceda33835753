// RUN: devproc-opt --list-stages | filecheck %s

// CHECK:      | stage | what it is | passes | dialects after it |
// CHECK-NEXT: | --- | --- | --- | --- |
// CHECK-NEXT: | program | {{.*}} | (verify only) | builtin dev.host_call func nn pipe |
// CHECK-NEXT: | tensor | {{.*}} | inline-models, lower-value-checks, lower-pipe, {{.*}} | builtin dev.host_call func nn |
// CHECK-NEXT: | placed |
// CHECK-NEXT: | kernels |
// CHECK-NEXT: | buffers |
// CHECK-NEXT: | schedules |
// CHECK-NEXT: | cpu |
// CHECK-NEXT: | gpu |
// CHECK-NEXT: | host |
// CHECK-NEXT: | llvm |
