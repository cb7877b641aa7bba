wavepgo compare; wavepgo compare -- true; wavepgo compare --profile; wavepgo compare --profile x; wavepgo compare --profile x --
wavepgo compare --profile x --rounds 0 -- true; wavepgo compare --profile x --rounds 1.5 -- true; wavepgo compare --profile x --rounds
wavepgo compare --profile x --duration soon -- true; wavepgo compare --profile x -o -- true; wavepgo compare --profile x --json --csv -- true
wavepgo compare --profile x --nonsense 1 -- true; wavepgo compare -x -- true; wavepgo compare --profile x --float maybe -- true
wavepgo run --compare -- true; wavepgo compare --profile missing.profdata -- true
echo nonsense >bad.profdata; wavepgo compare --profile bad.profdata -- true
