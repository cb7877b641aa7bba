/* The language of the oracle's kernels: one text, two worlds. A shader compiler reads a kernel as GLSL and
 * the GPU runs it under the layer; the C compiler reads it as C and the tracer (sim.h) runs it lane by lane
 * on the CPU.
 *
 * Every basic block carries a number: M(k) at its start, first and last argument of a loop for its condition
 * and its step. In GLSL a marker is a store of the number to `tag`, by which the test finds the block again
 * in the normal form. Numbers rise in the order in which a wave runs the blocks; a loop's condition is below
 * its body, its step above.
 *
 *     KERNEL(name) ... END      entry block is 0; `id` is the invocation's number, `r` its result
 *     FOR(c, init, cond, s, step) { ... } ENDFOR      DO(k) ... WHILE(c, cond)
 *     FUNCTION(f, a) ... ENDFUNCTION                  uint f(uint a); called as CALL(site, f, x)
 *     IN(k)  input word k of this invocation          RESULT  writes r
 *     SELECT(k, c, a, b)      c ? a : b of operands without work of their own: an OpSelect, the kernel's k-th
 *     KILL, DEMOTE, BARRIER, RETURN, FALL (into the next case)                LANE, SPEC
 *     SHARED(k)  input word k of the first invocation: equal for all
 *     TRACE(h)  traces a ray that hits (1) or not (0): gives 7 or 3 (raygen)
 *     ASKED(k, x)  here a probe of values asks value site k, and finds x (kernels named values_*) */
#ifdef ORACLE_GPU

#define FRAGMENT_WIDTH 61u
uint tag;
#define M(k)                        tag = uint(k);
#define IN(k)                       inputs[id * 4u + uint(k)]
#define RESULT                      results[id] = r;
#define FOR(c, init, cond, s, step) for (init; (tag = uint(c), (cond)); (tag = uint(s), step))
#define ENDFOR
#define DO(k) do {
#define WHILE(c, cond)                                                                                       \
    }                                                                                                        \
    while ((tag = uint(c), (cond)))                                                                          \
        ;
#define FUNCTION(f, a)                                                                                       \
    uint f(uint id, uint a)                                                                                  \
    {
#define ENDFUNCTION      }
#define CALL(site, f, x) f(id, x)
#define KILL             discard;
#define DEMOTE           demote;
#define FALL
#define BARRIER barrier();
#define RETURN                                                                                               \
    {                                                                                                        \
        RESULT                                                                                               \
        return;                                                                                              \
    }
#define SPEC      spec
#define SHARED(k) inputs[k]
#define ASKED(k, x)
#define TRACE(h)           trace(h)
#define SELECT(k, c, a, b) ((c) ? (a) : (b))

layout(std430, set = 0, binding = 0) readonly buffer Inputs
{
    uint inputs[];
};
layout(std430, set = 0, binding = 1) buffer Results
{
    uint results[];
};
/* By invocation: in compute and fragment the wave it ran in, named by the smallest invocation number of the
 * wave, plus one; in the other stages how often it ran. Zero: never. */
layout(std430, set = 0, binding = 2) buffer Waves
{
    uint waves[];
};

#if defined ORACLE_COMPUTE || defined ORACLE_MESH || defined ORACLE_TASK
layout(std430, set = 0, binding = 3) buffer Lanes
{
    uint lanes[];
};
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint spec = 1u;
#ifdef ORACLE_MESH
layout(points, max_vertices = 1, max_primitives = 1) out;
#define BEGIN SetMeshOutputsEXT(0u, 0u);
#define LAST
#elif defined ORACLE_TASK
#define BEGIN
#define LAST EmitMeshTasksEXT(1u, 1u, 1u);
#else
#define BEGIN
#define LAST
#endif
#define KERNEL(name)                                                                                         \
    void main()                                                                                              \
    {                                                                                                        \
        uint id = gl_GlobalInvocationID.x, r = 0u;                                                           \
        waves[id] = subgroupMin(id) + 1u;                                                                    \
        lanes[id] = gl_SubgroupInvocationID;                                                                 \
        BEGIN                                                                                                \
        M(0)
#define LANE gl_SubgroupInvocationID
#define END                                                                                                  \
    RESULT                                                                                                   \
    LAST                                                                                                     \
    }
#elif defined ORACLE_RAYGEN
layout(push_constant) uniform Scene
{
    uvec2 scene;
};
layout(location = 0) rayPayloadEXT uint payload;
uint trace(uint hit)
{
    payload = 0u;
    traceRayEXT(accelerationStructureEXT(scene), 0u, 0xffu, 0u, 1u, 0u,
                vec3(0.0, 50.0 * float(hit) - 50.0, -1.0), 0.001, vec3(0.0, 0.0, 1.0), 100.0, 0);
    return payload;
}
#define KERNEL(name)                                                                                         \
    void main()                                                                                              \
    {                                                                                                        \
        uint id = gl_LaunchIDEXT.x, r = 0u;                                                                  \
        waves[id] = subgroupMin(id) + 1u;                                                                    \
        M(0)
#define END                                                                                                  \
    RESULT                                                                                                   \
    }
#elif defined ORACLE_FRAGMENT
layout(location = 0) out vec4 color;
#define KERNEL(name)                                                                                         \
    void main()                                                                                              \
    {                                                                                                        \
        uint id = uint(gl_FragCoord.y) * FRAGMENT_WIDTH + uint(gl_FragCoord.x), r = 0u;                      \
        waves[id] = subgroupMin(id) + 1u;                                                                    \
        M(0)
#define END                                                                                                  \
    RESULT                                                                                                   \
    color = vec4(float(r & 255u) / 255.0, 0.5, 0.25, 1.0);                                                   \
    }
#elif defined ORACLE_VERTEX
#define KERNEL(name)                                                                                         \
    void main()                                                                                              \
    {                                                                                                        \
        uint id = uint(gl_VertexIndex), r = 0u;                                                              \
        atomicAdd(waves[id], 1u);                                                                            \
        M(0)
#define END                                                                                                  \
    RESULT                                                                                                   \
    gl_Position = vec4(float(id % 7u) / 4.0 - 0.8, float(id % 5u) / 3.0 - 0.7, 0.5, 1.0);                    \
    }
#elif defined ORACLE_TESSCONTROL
layout(vertices = 3) out;
#define KERNEL(name)                                                                                         \
    void main()                                                                                              \
    {                                                                                                        \
        uint id = uint(gl_PrimitiveID) * 3u + uint(gl_InvocationID), r = 0u;                                 \
        atomicAdd(waves[id], 1u);                                                                            \
        M(0)
#define END                                                                                                  \
    RESULT                                                                                                   \
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;                                \
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 3.0;                                \
    gl_TessLevelInner[0] = 2.0;                                                                              \
    }
#elif defined ORACLE_TESSEVAL
layout(triangles, equal_spacing, ccw) in;
/* Its invocations have no number of their own: they are told apart by where they lie in the patch. */
#define KERNEL(name)                                                                                         \
    void main()                                                                                              \
    {                                                                                                        \
        uint id = uint(gl_PrimitiveID) * 49u + uint(gl_TessCoord.x * 6.0 + 0.5) * 7u +                       \
                  uint(gl_TessCoord.y * 6.0 + 0.5),                                                          \
             r = 0u;                                                                                         \
        atomicAdd(waves[id], 1u);                                                                            \
        M(0)
#define END                                                                                                  \
    RESULT                                                                                                   \
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +            \
                  gl_TessCoord.z * gl_in[2].gl_Position;                                                     \
    }
#elif defined ORACLE_GEOMETRY
layout(triangles) in;
layout(points, max_vertices = 4) out;
#define KERNEL(name)                                                                                         \
    void main()                                                                                              \
    {                                                                                                        \
        uint id = uint(gl_PrimitiveIDIn), r = 0u;                                                            \
        atomicAdd(waves[id], 1u);                                                                            \
        M(0)
#define END                                                                                                  \
    RESULT                                                                                                   \
    gl_Position = gl_in[0].gl_Position;                                                                      \
    gl_PointSize = 1.0;                                                                                      \
    EmitVertex();                                                                                            \
    }
#endif

#else /* the CPU */

#include "tests/e2e/oracle/sim.h"

typedef uint32_t uint;
static inline uint min(uint a, uint b)
{
    return a < b ? a : b;
}
#define M(k)   sim_mark(k);
#define IN(k)  sim_input(k)
#define RESULT sim_result(r);
/* clang-format off */
#define FOR(c, init, cond, s, step)                                                                            \
    {                                                                                                          \
        sim_loop_enter(c);                                                                                     \
        for (init; sim_mark(c), (cond); sim_mark(s), sim_loop_next(), step)
#define ENDFOR                                                                                                 \
        sim_loop_leave();                                                                                      \
    }
#define DO(k)                                                                                                  \
    {                                                                                                          \
        sim_loop_enter(k);                                                                                     \
        do {
#define WHILE(c, cond)                                                                                         \
        } while (sim_mark(c), sim_loop_next(), sim_loop_again(cond));                                                        \
        sim_loop_leave();                                                                                      \
    }
/* clang-format on */
#define FUNCTION(f, a)                                                                                       \
    static uint f(uint id, uint a)                                                                           \
    {                                                                                                        \
        (void)id;
#define ENDFUNCTION      }
#define CALL(site, f, x) (sim_call(site), sim_return(f(id, x)))
#define KILL             sim_kill();
#define DEMOTE           sim_demote();
#define FALL             __attribute__((fallthrough));
#define BARRIER
#define RETURN                                                                                               \
    {                                                                                                        \
        RESULT                                                                                               \
        return;                                                                                              \
    }
#define SELECT(k, c, a, b) (sim_select(k, c) ? (a) : (b))
#define LANE               sim_lane()
#define SPEC               sim_spec()
#define SHARED(k)          sim_shared(k)
#define ASKED(k, x)        sim_asked(k, x);
#define TRACE(h)           sim_segment((h) ? 7u : 3u)
#define KERNEL(name)                                                                                         \
    static void kernel_##name(void)                                                                          \
    {                                                                                                        \
        uint id = sim_id(), r = 0u;                                                                          \
        (void)id;                                                                                            \
        M(0)
#define END                                                                                                  \
    RESULT                                                                                                   \
    }
#endif
