wavepgo show missing.profdata
