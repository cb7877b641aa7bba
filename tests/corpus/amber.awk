# Modules and their numbers out of scripts of Amber (the language of Khronos' conformance tests):
#
#     awk -v to=FOLDER -f amber.awk FILE.amber...
#
# Writes FOLDER/FILE.SHADER.spvasm for each SPIRV-ASM shader, its TARGET_ENV as first line of a comment, and
# FOLDER/FILE.SHADER.data for those whose pipeline binds buffers of numbers (given.h has the form).
function base(path) {
    sub(/.*\//, "", path)
    sub(/\.amber$/, "", path)
    return path
}
function flush_pipeline(  s, b, shader, binds, out) {
    binds = split(bound, b, "\n")
    for (shader in attached) {
        out = ""
        for (s = 1; s <= binds; s++)
            if (b[s] != "")
                out = out b[s] "\n"
        if ((shader in asm_of) && out != "" && !((file, shader) in written)) {
            printf "%s", out > (to "/" file "." shader ".data")
            close(to "/" file "." shader ".data")
            written[file, shader] = 1
        }
    }
    split("", attached)
    bound = ""
    in_pipeline = 0
}
FNR == 1 {
    file = base(FILENAME)
    split("", asm_of)
    split("", numbers)
    split("", stride)
    split("", type)
    in_asm = in_data = in_pipeline = 0
}
in_asm {
    if ($1 == "END") {
        close(out_file)
        in_asm = 0
    } else
        print > out_file
    next
}
in_data {
    if ($1 == "END") {
        in_data = 0
        next
    }
    numbers[buffer] = numbers[buffer] " " $0
    if ($NF == "END") {
        sub(/ END *$/, "", numbers[buffer])
        in_data = 0
    }
    next
}
/^ *#/ { next }
$1 == "SHADER" && /SPIRV-ASM/ {
    asm_of[$3] = 1
    in_asm = 1
    out_file = to "/" file "." $3 ".spvasm"
    env = "spv1.0"
    for (i = 4; i < NF; i++)
        if ($i == "TARGET_ENV")
            env = $(i + 1)
    print "; " env > out_file
    next
}
$1 == "BUFFER" && $3 == "DATA_TYPE" {
    buffer = $2
    type[buffer] = $4 ~ /float/ ? "float" : $4 ~ /uint/ ? "uint" : "int"
    stride[buffer] = ($4 ~ /\[\]/ && $4 !~ /vec4|mat/ && /STD140/) ? 16 : 4
    numbers[buffer] = ""
    for (i = 5; i <= NF; i++)
        if ($i == "DATA")
            in_data = 1
        else if (in_data && $i == "END")
            in_data = 0
        else if (in_data)
            numbers[buffer] = numbers[buffer] " " $i
    next
}
$1 == "PIPELINE" { in_pipeline = 1; next }
in_pipeline && $1 == "ATTACH" { attached[$2] = 1; next }
in_pipeline && $1 == "BIND" && $2 == "BUFFER" && ($3 in numbers) && numbers[$3] != "" {
    if ($5 == "push_constant")
        bound = bound "push 0 " stride[$3] " " type[$3] numbers[$3] "\n"
    else if ($5 == "uniform" || $5 == "storage")
        bound = bound $7 " " $9 " " stride[$3] " " type[$3] numbers[$3] "\n"
    next
}
in_pipeline && $1 == "END" { flush_pipeline() }
