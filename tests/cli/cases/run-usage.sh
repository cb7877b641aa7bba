wavepgo run; wavepgo run --generate; wavepgo run --generate --use missing.profdata -- true; wavepgo run --use; wavepgo run --tune; wavepgo run --use x --tune y -- true; wavepgo run --tune . -- true; wavepgo run --flush-interval soon -- true
wavepgo run --nonsense 1 -- true; wavepgo run -x -- true; wavepgo run --mode -- true; wavepgo run --use missing.profdata -- true
