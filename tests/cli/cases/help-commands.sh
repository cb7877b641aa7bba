for c in merge show instrument; do wavepgo $c --help; done
