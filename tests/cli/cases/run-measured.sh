# What `compare` measured is said for the same program and the same counts alone.
result() { # CHANGED CONFIDENCE RATIO LOW HIGH [ROUNDS]
    cat >one.wavepgo/compare.json <<JSON
{"wavepgo-compare": 1, "date": "2026-11-25T13:00:00Z", "command": ["sh", "-c", "exit"], "program": "$(readlink -f "$(command -v sh)")",
 "profile": "one.wavepgo", "profile-hash": "$hash", "device": "a device", "rounds": 6, "headline": "frame-median", "changed": $1,
 "ratios": {"frame-median": {"ratio": $3, "low": $4, "high": $5, "confidence": $2, "rounds": ${6:-6}}}, "pipelines": []}
JSON
}
hash=2b17e313aa992a6ca7e2c74367fd6712
cp -r $DATA/one.wavepgo .
result 1 0.96875 0.74 0.7 0.78
echo "-- the same"; wavepgo run --use one.wavepgo -- sh -c exit 2>&1
echo "-- other arguments"; wavepgo run --use one.wavepgo/ -- sh -c 'exit 0' more 2>&1
echo "-- another program"; wavepgo run --use one.wavepgo -- true 2>&1
echo "-- the report has it"; wavepgo report --json one.wavepgo | grep -c '"compare"'
result 1 0.96875 0.98 0.9 1.1
echo "-- no difference"; wavepgo run --use one.wavepgo -- sh -c exit 2>&1
result 1 0.5 0.74 0.7 0.78 2
echo "-- too few rounds"; wavepgo run --use one.wavepgo -- sh -c exit 2>&1
result 0 0.96875 0.74 0.7 0.78
echo "-- no pipeline"; wavepgo run --use one.wavepgo -- sh -c exit 2>&1
result 1 0.96875 0.74 0.7 0.78
echo '# more' >>one.wavepgo/counts.proftext
echo "-- other counts"; wavepgo run --use one.wavepgo -- sh -c exit 2>&1
wavepgo report --json one.wavepgo | grep -c '"compare"'
