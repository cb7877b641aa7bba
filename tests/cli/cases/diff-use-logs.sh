# Decisions of use mode: a result that changed, changes that only one run made, a stage that only one log has.
. "$DATA/bundle.sh"
bundle march
stage() { # RESULT PASS BLOCK SHADER
    echo "{\"shader\": \"$4\", \"stage\": \"comp\", \"entry\": \"main\", \"found\": \"pipeline\", \"result\": \"$1\", \"why\": \"\", \"remarks\": [{\"pass\": \"$2\", \"done\": true, \"function\": 0, \"block\": $3, \"text\": \"\"}, {\"pass\": \"peel\", \"done\": false, \"function\": 0, \"block\": 1, \"text\": \"\"}]}"
}
march=fd299afaaa5af46f8d73b92354ce0e99 fade=0c48dba384b4975be354546d45961d2e
echo "{\"pipeline\": \"a0010000000000000000000000000001\", \"stages\": [$(stage optimised unflatten 3 $march)]}" >one.log
{
    echo "{\"pipeline\": \"a0010000000000000000000000000001\", \"stages\": [$(stage optimised versions 0 $march)]}"
    echo "{\"pipeline\": \"b0020000000000000000000000000002\", \"stages\": [$(stage unchanged peel 0 $fade)]}"
} >other.log
wavepgo diff --use-logs one.log other.log march.wavepgo march.wavepgo
echo
wavepgo diff --use-logs one.log one.log march.wavepgo march.wavepgo | tail -n 1
echo nonsense >bad.log
wavepgo diff --use-logs one.log bad.log march.wavepgo march.wavepgo
