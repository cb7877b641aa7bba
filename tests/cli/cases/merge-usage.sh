wavepgo merge; wavepgo merge -o x; wavepgo merge -o x --format odd y; wavepgo merge -o x --weighted 0,y; wavepgo merge -o x --nope
