"""Stage `tensor`: passes that produce one simplified graph of `nn` ops."""
