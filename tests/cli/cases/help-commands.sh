for c in merge show instrument estimate doctor install uninstall clean; do wavepgo $c --help; done
