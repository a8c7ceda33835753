"""What kernels cost, found without a GPU: work, machine code, time; the choice by it."""
