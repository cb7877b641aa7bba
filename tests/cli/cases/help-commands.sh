for c in compare merge show top instrument estimate doctor gpu install uninstall clean; do wavepgo $c --help; done
