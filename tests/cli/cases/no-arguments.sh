wavepgo
