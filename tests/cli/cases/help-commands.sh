for c in merge show instrument doctor install uninstall; do wavepgo $c --help; done
