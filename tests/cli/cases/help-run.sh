wavepgo run --help
