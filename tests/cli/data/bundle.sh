# bundle NAME: copies $DATA/NAME.wavepgo here, with the SPIR-V that lies there as base64 (the tree has no binary files).
bundle() {
    cp -r "$DATA/$1.wavepgo" . && for file in "$1.wavepgo"/shaders/*.base64; do
        base64 -d "$file" >"${file%.base64}.spv" && rm "$file"
    done
}
