wavepgo run; wavepgo run --generate; wavepgo run --generate --use x -- true; wavepgo run --use; wavepgo run --flush-interval soon -- true
wavepgo run --nonsense 1 -- true; wavepgo run -x -- true; wavepgo run --mode -- true; wavepgo run --use missing.profdata -- true
