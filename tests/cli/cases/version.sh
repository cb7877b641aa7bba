wavepgo version
