for c in merge show instrument doctor install uninstall clean; do wavepgo $c --help; done
