// Loops and conditions that corpus_loops reads, and some that it does not (loops.sh says which).
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { int count; int mode; };
layout(set = 0, binding = 0) uniform Block { int width; int flag; };
layout(set = 0, binding = 1) buffer Data { int data[]; };
void main()
{
    int at = int(gl_GlobalInvocationID.x), sum = 0, own = data[at];
    for (int i = 0; i < 8; i++) // trips: constant
        sum += data[at + i];
    for (int i = 0; i < count; i++) // trips: words
        sum += data[at * i];
    for (int i = 1; i < width - 1; i += 2) // trips: words
        sum ^= data[at * i];
    for (int i = 0; i < own; i++) // trips: computed before
        sum += data[sum & 255];
    for (int i = own; i < 9; i++) // starts at a computed value
        sum += data[i];
    for (int i = 1; i < 64; i *= 2) // doubles
        sum += data[i];
    for (float x = 0.0; x < 3.0; x += float(sum & 3)) // a float test
        sum += data[int(x)];
    for (int i = 0; i < 16; i++) { // trips: constant; two ways out; invariant condition
        if (own > 5)
            sum += data[i];
        if (sum > 1000)
            break;
    }
    if (mode == 1) // words
        sum = -sum;
    if (flag > width) // words
        sum += at;
    data[at] = sum;
}
