wavepgo report; echo $?
wavepgo report --nonsense x; echo $?
wavepgo report -o; echo $?
wavepgo report --top many x; echo $?
wavepgo report -o page.html missing.wavepgo; echo $?
wavepgo report -o missing/page.html $DATA/one.wavepgo; echo $?
wavepgo advise; echo $?
wavepgo advise missing.profdata
