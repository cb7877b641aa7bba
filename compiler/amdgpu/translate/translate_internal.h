/* Declarations shared by the files of the translator: its state, types, values, places in memory, and
 * refusals.
 *
 * Untrusted input: wpg_tr_value and wpg_tr_value_of fetch every operand. They check that the operand exists
 * and has the type that the instruction needs, since LLVM's builder trusts its callers. LLVM's verifier
 * checks dominance.
 *
 * Convention: a function that can fail returns NULL or false after wpg_tr_fail, which keeps the first
 * message. A handler of instructions returns WPG_TR_OTHER for instructions that are not its own. Memory: the
 * translator's arena. Threads: one translator, one thread. */
#ifndef WPG_COMPILER_AMDGPU_TRANSLATE_TRANSLATE_INTERNAL_H
#define WPG_COMPILER_AMDGPU_TRANSLATE_TRANSLATE_INTERNAL_H

#include <llvm-c/Core.h>

#include "compiler/amdgpu/llvm/lines.h"
#include "compiler/amdgpu/llvm/target.h"
#include "compiler/amdgpu/translate/translate.h"
#include "compiler/spirv/builder.h"
#include "compiler/spirv/grammar.h"

enum {
    WPG_TR_MAX_LEAVES = 16384,     /* scalars of one value in registers */
    WPG_TR_MAX_VARIABLE = 1 << 20, /* bytes of a variable outside buffers */
    WPG_TR_MAX_DEPTH = 32,         /* of nested types */
};

typedef enum wpg_tr_kind {
    WPG_TR_NONE, /* images, samplers and whatever else has no value here */
    WPG_TR_VOID,
    WPG_TR_BOOL,
    WPG_TR_INT,
    WPG_TR_FLOAT,
    WPG_TR_VECTOR,
    WPG_TR_MATRIX,
    WPG_TR_ARRAY,
    WPG_TR_RUNTIME_ARRAY,
    WPG_TR_STRUCT,
    WPG_TR_POINTER,
    WPG_TR_FUNCTION,
} wpg_tr_kind;

typedef struct wpg_tr_member {
    uint32_t type;
    uint64_t offset;
    uint32_t matrix_stride; /* 0: none given */
    bool row_major, coherent;
} wpg_tr_member;

typedef struct wpg_tr_type {
    wpg_tr_kind kind;
    uint32_t id;
    LLVMTypeRef llvm; /* NULL: no value can be of it (runtime arrays, images) */
    uint32_t bits;    /* of a scalar, or of the scalars of a vector or matrix; a bool's 1 */
    bool is_signed;   /* of an integer type as declared */
    uint32_t element; /* type id: component, column, element, what is pointed to */
    uint32_t count;   /* components, columns, elements, members */
    uint32_t leaves;  /* scalars in it, saturating */
    uint32_t depth;
    uint64_t size, align, stride; /* bytes in memory; stride of elements or columns */
    uint64_t end;                 /* of a struct: bytes up to the end of its last member; size is padded */
    bool stored;                  /* a variable can be of it */
    const wpg_tr_member *members;
    SpvStorageClass storage; /* of a pointer */
} wpg_tr_type;

/* One descriptor binding: variables that share it share this. */
typedef struct wpg_tr_binding {
    uint32_t set, binding, count;   /* count 0: as many as the shader indexes */
    bool uniform;                   /* read-only memory that nothing writes */
    bool measured;                  /* some shader asks for its length */
    uint32_t offset, length_offset; /* the ABI's own */
} wpg_tr_binding;

/* Where a pointer points. */
typedef struct wpg_tr_place {
    LLVMValueRef pointer;   /* NULL: an array of descriptors that no index was taken of */
    uint32_t type;          /* what lies there */
    uint64_t align;         /* known alignment of the pointer in bytes, a power of two */
    uint32_t matrix_stride; /* of the matrices there; 0: as the type has it */
    uint32_t vector_stride; /* between components of a row-major matrix's column; else 0 */
    bool row_major, is_volatile, constant;
    /* In a buffer behind a plain pointer: pointer = root + dynamic (i32, NULL: 0) + fixed. 32 bits suffice
     * for any buffer of Vulkan (maxStorageBufferRange), and the hardware adds a 32-bit offset to a scalar
     * address for free. NULL: elsewhere. */
    LLVMValueRef root, dynamic;
    int64_t fixed;
    const wpg_tr_binding *binding; /* NULL: of no descriptor */
    LLVMValueRef element;          /* i32: which of the binding's descriptors */
} wpg_tr_place;

typedef struct wpg_tr_entry {
    LLVMValueRef value;
    const wpg_tr_place *place; /* of pointers */
    uint32_t type;             /* type id */
} wpg_tr_entry;

typedef struct wpg_tr_block {
    LLVMBasicBlockRef first, last; /* where the block begins; where its terminator ended up */
} wpg_tr_block;

struct wpg_tr;

/* The functions that differ between ABIs. Each returns NULL or false after wpg_tr_fail. */
struct wpg_tr_abi {
    unsigned space_buffer, space_uniform, space_global, space_local, space_private;
    unsigned index_bits; /* of addressing in buffers */
    bool lanes;          /* there are waves: subgroup operations and barriers mean something */
    uint64_t buffer_align;
    bool (*begin)(struct wpg_tr *t); /* makes t->function with an entry block, and places t->builder there */
    bool (*end)(struct wpg_tr *t);   /* behind the last instruction; may be NULL */
    LLVMValueRef (*buffer)(struct wpg_tr *t, const wpg_tr_binding *binding, LLVMValueRef element);
    LLVMValueRef (*length)(struct wpg_tr *t, const wpg_tr_binding *binding, LLVMValueRef element); /* i32 */
    LLVMValueRef (*push)(struct wpg_tr *t);
    LLVMValueRef (*local_id)(struct wpg_tr *t, unsigned axis); /* i32 */
    LLVMValueRef (*group_id)(struct wpg_tr *t, unsigned axis);
    LLVMValueRef (*groups)(struct wpg_tr *t, unsigned axis);
};

typedef struct wpg_tr {
    const wpg_module *module;
    const wpg_translation_options *options;
    const wpg_stage *stage;
    const wpg_tr_abi *abi;
    wpg_translation *out;
    wpg_error *err;
    wpg_status status;
    wpg_arena arena;

    LLVMContextRef context;
    LLVMModuleRef llvm;
    LLVMBuilderRef builder;       /* at the end of the block under translation */
    LLVMBuilderRef entry_builder; /* before the entry block's terminator: variables, built-ins */
    LLVMValueRef function;
    LLVMTypeRef t_i1, t_i8, t_i16, t_i32, t_i64, t_f16, t_f32, t_f64;

    wpg_tr_type **types;   /* by id */
    wpg_tr_entry *entries; /* by id */
    wpg_tr_block *blocks;  /* by label id */
    uint32_t bound;
    const wpg_inst *inst; /* under translation, for messages */
    const wpg_inst *entry_point, *entry_function;
    uint32_t block;                      /* label id of the block under translation */
    uint32_t block_number, blocks_begun; /* index of that block in the function; blocks begun so far */

    wpg_tr_binding *bindings;
    uint32_t binding_count;
    uint32_t push_bytes;
    uint32_t local_size[3];
    bool flushes_single, flushes_others; /* float controls: denormals of 32 bits; of 16 and 64 */
    bool dividing_exactly;               /* float controls ask for it: no fpmath */

    struct wpg_tr_phi *phis;
    LLVMValueRef abi_values[16]; /* the ABI's own */
    wpg_lines lines;             /* where options->lines asks for them */
} wpg_tr;

typedef enum wpg_tr_result { WPG_TR_DONE, WPG_TR_OTHER, WPG_TR_FAILED } wpg_tr_result;

static inline wpg_tr_result wpg_tr_did(bool ok)
{
    return ok ? WPG_TR_DONE : WPG_TR_FAILED;
}

/* -- Failing (fail.c): the instruction under translation is named. Gives false. */
bool wpg_tr_fail(wpg_tr *t, wpg_status status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* WPG_E_UNSUPPORTED of the instruction itself. */
bool wpg_tr_refuse(wpg_tr *t);
/* WPG_E_FORMAT: operands that the instruction may not have. */
bool wpg_tr_malformed(wpg_tr *t);

/* -- The kernel as a whole (kernel_attributes.c) */
/* Function attributes and metadata that every GPU ABI wants. */
void wpg_tr_describe_kernel(wpg_tr *t);
/* The shader's float controls, as far as the hardware can be set per kernel. */
bool wpg_tr_float_controls(wpg_tr *t);

/* -- Types (types.c) */
bool wpg_tr_declare_type(wpg_tr *t, const wpg_inst *inst);
const wpg_tr_type *wpg_tr_type_of(wpg_tr *t, uint32_t id); /* fails on an id that is no type */
/* Type of the instruction's result; fails if no value can be of it. */
const wpg_tr_type *wpg_tr_result_type(wpg_tr *t, const wpg_inst *inst);
/* Scalar type of a scalar, vector or matrix type. */
LLVMTypeRef wpg_tr_scalar(LLVMTypeRef type);
uint32_t wpg_tr_components(LLVMTypeRef type); /* of a vector; 1 for a scalar */
LLVMTypeRef wpg_tr_with_components(LLVMTypeRef scalar, uint32_t count);
bool wpg_tr_is_int(LLVMTypeRef type);   /* integers (not bools) or vectors of them */
bool wpg_tr_is_bool(LLVMTypeRef type);  /* bools or vectors of them */
bool wpg_tr_is_float(LLVMTypeRef type); /* floats or vectors of them */
uint32_t wpg_tr_bits(LLVMTypeRef type); /* of the scalar; 0 of others */
/* The literal of a decoration of a member; false if it has none. */
bool wpg_tr_decoration(const wpg_tr *t, uint32_t id, SpvDecoration which, uint32_t *literal);

/* -- Values (values.c) */
/* Tells LLVM that nothing writes there while the kernel runs. */
void wpg_tr_mark_invariant(wpg_tr *t, LLVMValueRef load);
/* Word `at` of `inst`; 0 after failing if `inst` is shorter. */
uint32_t wpg_tr_word(wpg_tr *t, const wpg_inst *inst, unsigned at);
LLVMValueRef wpg_tr_value(wpg_tr *t, const wpg_inst *inst, unsigned at);
LLVMValueRef wpg_tr_value_of(wpg_tr *t, const wpg_inst *inst, unsigned at, LLVMTypeRef type);
const wpg_tr_place *wpg_tr_pointer(wpg_tr *t, const wpg_inst *inst, unsigned at);
/* The value of the instruction's result, of the result's type (checked). */
bool wpg_tr_define(wpg_tr *t, const wpg_inst *inst, LLVMValueRef value);
bool wpg_tr_define_pointer(wpg_tr *t, const wpg_inst *inst, const wpg_tr_place *place);
/* A constant operand's bits; fails if it is none. */
bool wpg_tr_constant(wpg_tr *t, const wpg_inst *inst, unsigned at, uint64_t *bits);
wpg_tr_result wpg_tr_constants(wpg_tr *t, const wpg_inst *inst);
wpg_tr_result wpg_tr_composites(wpg_tr *t, const wpg_inst *inst);
LLVMValueRef wpg_tr_int(LLVMTypeRef type, uint64_t value); /* splat for vectors */
LLVMValueRef wpg_tr_float(LLVMTypeRef type, double value);
LLVMValueRef wpg_tr_splat(wpg_tr *t, LLVMValueRef scalar, LLVMTypeRef type);
LLVMValueRef wpg_tr_get(wpg_tr *t, LLVMValueRef composite, uint32_t index); /* vector, array or struct */
LLVMValueRef wpg_tr_set(wpg_tr *t, LLVMValueRef composite, LLVMValueRef part, uint32_t index);
/* An intrinsic overloaded over `types`, of arguments. */
LLVMValueRef wpg_tr_call(wpg_tr *t, const char *name, LLVMTypeRef *types, unsigned type_count,
                         LLVMValueRef *arguments, unsigned count);
/* Overloaded over the type of its first argument. */
LLVMValueRef wpg_tr_call1(wpg_tr *t, const char *name, LLVMValueRef a);
LLVMValueRef wpg_tr_call2(wpg_tr *t, const char *name, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef wpg_tr_call3(wpg_tr *t, const char *name, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);

/* -- Instructions, a file each */
wpg_tr_result wpg_tr_integers(wpg_tr *t, const wpg_inst *inst);
wpg_tr_result wpg_tr_floats(wpg_tr *t, const wpg_inst *inst);
wpg_tr_result wpg_tr_conversions(wpg_tr *t, const wpg_inst *inst);
wpg_tr_result wpg_tr_matrices(wpg_tr *t, const wpg_inst *inst);
wpg_tr_result wpg_tr_memory(wpg_tr *t, const wpg_inst *inst);
wpg_tr_result wpg_tr_atomics(wpg_tr *t, const wpg_inst *inst);
wpg_tr_result wpg_tr_control(wpg_tr *t, const wpg_inst *inst);
wpg_tr_result wpg_tr_subgroups(wpg_tr *t, const wpg_inst *inst);
wpg_tr_result wpg_tr_extended(wpg_tr *t, const wpg_inst *inst);

/* A float operation that may be contracted with others, unless the instruction forbids it. */
LLVMValueRef wpg_tr_mul(wpg_tr *t, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef wpg_tr_add(wpg_tr *t, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef wpg_tr_sub(wpg_tr *t, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef wpg_tr_div(wpg_tr *t, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef wpg_tr_neg(wpg_tr *t, LLVMValueRef a);
LLVMValueRef wpg_tr_dot(wpg_tr *t, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef wpg_tr_sqrt(wpg_tr *t, LLVMValueRef a);
/* Determinant and inverse (matrices.c) of an n by n matrix value. */
LLVMValueRef wpg_tr_determinant(wpg_tr *t, LLVMValueRef matrix, uint32_t n);
LLVMValueRef wpg_tr_inverse(wpg_tr *t, LLVMValueRef matrix, uint32_t n);

/* -- Memory (memory.c) */
bool wpg_tr_collect_bindings(wpg_tr *t);
bool wpg_tr_global_variable(wpg_tr *t, const wpg_inst *inst);
bool wpg_tr_store(wpg_tr *t, const wpg_tr_place *place, LLVMValueRef value);
/* The pointer `bytes` further on. `bytes` is of any integer type; 32 bits count as unsigned. */
LLVMValueRef wpg_tr_offset(wpg_tr *t, LLVMValueRef pointer, LLVMValueRef bytes);
LLVMValueRef wpg_tr_offset_by(wpg_tr *t, LLVMValueRef pointer, uint64_t bytes);

/* -- Atomics (atomics.c) */
unsigned wpg_tr_sync_scope(const wpg_tr *t, uint64_t scope);
LLVMAtomicOrdering wpg_tr_ordering(uint64_t semantics);

/* -- Built-ins (builtins.c) */
/* The value of an input built-in, NULL after failing. Code goes to t->builder. */
LLVMValueRef wpg_tr_builtin(wpg_tr *t, SpvBuiltIn which);
LLVMValueRef wpg_tr_lane(wpg_tr *t);                           /* i32: number of the lane in its wave */
LLVMValueRef wpg_tr_ballot(wpg_tr *t, LLVMValueRef condition); /* i32 or i64: as wide as the wave */
LLVMValueRef wpg_tr_mask_vector(wpg_tr *t, LLVMValueRef mask); /* the same as uvec4 */

#endif
