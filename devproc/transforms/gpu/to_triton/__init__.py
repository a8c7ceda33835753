"""How each kernel family becomes a block program; used by convert-linalg-to-triton."""
