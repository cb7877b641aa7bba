wavepgo report --json $DATA/one.wavepgo && wavepgo report -o page.html $DATA/one.wavepgo && grep -c '<script type="application/json"' page.html
