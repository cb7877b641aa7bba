for c in merge show instrument install uninstall; do wavepgo $c --help; done
