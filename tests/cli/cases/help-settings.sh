wavepgo help settings
echo "exit $?"
wavepgo help flush-interval
echo "exit $?"
wavepgo help MODE | head -n 1
wavepgo help clean | head -n 1
wavepgo help no_such_setting
echo "exit $?"
wavepgo help settings twice
echo "exit $?"
