# Wrong calls of diff and overlap.
wavepgo diff; wavepgo diff a; wavepgo diff a b c; wavepgo diff --threshold x a b; wavepgo diff --threshold -1 a b
wavepgo diff --use-logs a; wavepgo diff --top; wavepgo diff --frob; wavepgo diff missing $DATA/two.proftext
wavepgo overlap; wavepgo overlap a; wavepgo overlap a b c; wavepgo overlap --top x a b; wavepgo overlap --frob
wavepgo overlap $DATA/two.proftext missing
