mkdir game.wavepgo
wavepgo merge -o game.wavepgo/a.profraw --format raw10 $DATA/two.proftext || exit
cp game.wavepgo/a.profraw game.wavepgo/b.profraw
echo notes > game.wavepgo/readme.txt
wavepgo merge -o 1.profdata game.wavepgo/ && wavepgo merge -o 2.profdata 'game.wavepgo/*.profraw' && cmp 1.profdata 2.profdata && wavepgo show --top 1 1.profdata
