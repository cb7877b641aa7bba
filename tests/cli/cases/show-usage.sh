wavepgo show --frob x; wavepgo show; wavepgo show a b c; wavepgo show --top x a
