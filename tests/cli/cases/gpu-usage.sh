wavepgo gpu --frobnicate; echo "code $?"
wavepgo gpu renderD128; echo "code $?"
