wavepgo --help
