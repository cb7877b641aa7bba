wavepgo show --frob x; wavepgo show; wavepgo show a b; wavepgo show --top x a
