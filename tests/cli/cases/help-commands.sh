for c in compare merge show instrument estimate doctor gpu install uninstall clean; do wavepgo $c --help; done
