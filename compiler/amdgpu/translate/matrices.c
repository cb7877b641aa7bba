/* Matrices: an array of column vectors as a value. Sums run in order of columns or rows. */
#include "compiler/amdgpu/translate/translate_internal.h"

/* Columns and rows of a matrix value; false for other values. */
static bool shape(LLVMValueRef matrix, uint32_t *columns, uint32_t *rows)
{
    LLVMTypeRef type = LLVMTypeOf(matrix);
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind ||
        LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMVectorTypeKind ||
        !wpg_tr_is_float(LLVMGetElementType(type)) || LLVMGetArrayLength2(type) > 4)
        return false;
    *columns = (uint32_t)LLVMGetArrayLength2(type);
    *rows = LLVMGetVectorSize(LLVMGetElementType(type));
    return true;
}

static LLVMTypeRef column_type(LLVMValueRef matrix)
{
    return LLVMGetElementType(LLVMTypeOf(matrix));
}

static LLVMValueRef transposed(wpg_tr *t, LLVMValueRef matrix)
{
    uint32_t columns, rows;
    if (!shape(matrix, &columns, &rows))
        return NULL;
    LLVMTypeRef column = LLVMVectorType(wpg_tr_scalar(column_type(matrix)), columns);
    LLVMValueRef result = LLVMGetPoison(LLVMArrayType2(column, rows));
    for (uint32_t r = 0; r < rows; r++) {
        LLVMValueRef out = LLVMGetPoison(column);
        for (uint32_t c = 0; c < columns; c++)
            out = wpg_tr_set(t, out, wpg_tr_get(t, wpg_tr_get(t, matrix, c), r), c);
        result = wpg_tr_set(t, result, out, r);
    }
    return result;
}

static LLVMValueRef times_vector(wpg_tr *t, LLVMValueRef matrix, LLVMValueRef vector)
{
    uint32_t columns, rows;
    if (!shape(matrix, &columns, &rows) || wpg_tr_components(LLVMTypeOf(vector)) != columns ||
        wpg_tr_scalar(LLVMTypeOf(vector)) != wpg_tr_scalar(column_type(matrix)))
        return NULL;
    LLVMValueRef sum = NULL;
    for (uint32_t c = 0; c < columns; c++) {
        LLVMValueRef factor = wpg_tr_splat(t, wpg_tr_get(t, vector, c), column_type(matrix));
        LLVMValueRef product = wpg_tr_mul(t, wpg_tr_get(t, matrix, c), factor);
        sum = sum ? wpg_tr_add(t, sum, product) : product;
    }
    return sum;
}

static LLVMValueRef vector_times(wpg_tr *t, LLVMValueRef vector, LLVMValueRef matrix)
{
    uint32_t columns, rows;
    if (!shape(matrix, &columns, &rows) || LLVMTypeOf(vector) != column_type(matrix))
        return NULL;
    LLVMValueRef result = LLVMGetPoison(LLVMVectorType(wpg_tr_scalar(LLVMTypeOf(vector)), columns));
    for (uint32_t c = 0; c < columns; c++)
        result = wpg_tr_set(t, result, wpg_tr_dot(t, vector, wpg_tr_get(t, matrix, c)), c);
    return result;
}

static LLVMValueRef product_of(wpg_tr *t, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t columns, rows, a_columns, a_rows;
    if (!shape(b, &columns, &rows) || !shape(a, &a_columns, &a_rows) || a_columns != rows)
        return NULL;
    LLVMValueRef result = LLVMGetPoison(LLVMArrayType2(column_type(a), columns));
    for (uint32_t c = 0; c < columns; c++) {
        LLVMValueRef column = times_vector(t, a, wpg_tr_get(t, b, c));
        if (!column)
            return NULL;
        result = wpg_tr_set(t, result, column, c);
    }
    return result;
}

static LLVMValueRef scaled(wpg_tr *t, LLVMValueRef matrix, LLVMValueRef scalar)
{
    uint32_t columns, rows;
    if (!shape(matrix, &columns, &rows) || LLVMTypeOf(scalar) != wpg_tr_scalar(column_type(matrix)))
        return NULL;
    LLVMValueRef factor = wpg_tr_splat(t, scalar, column_type(matrix));
    for (uint32_t c = 0; c < columns; c++)
        matrix = wpg_tr_set(t, matrix, wpg_tr_mul(t, wpg_tr_get(t, matrix, c), factor), c);
    return matrix;
}

static LLVMValueRef outer(wpg_tr *t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef column = LLVMTypeOf(a);
    uint32_t columns = wpg_tr_components(LLVMTypeOf(b));
    if (!wpg_tr_is_float(column) || columns < 2 || wpg_tr_components(column) < 2 ||
        wpg_tr_scalar(column) != wpg_tr_scalar(LLVMTypeOf(b)))
        return NULL;
    LLVMValueRef result = LLVMGetPoison(LLVMArrayType2(column, columns));
    for (uint32_t c = 0; c < columns; c++)
        result = wpg_tr_set(t, result, wpg_tr_mul(t, a, wpg_tr_splat(t, wpg_tr_get(t, b, c), column)), c);
    return result;
}

/* -- Determinant and inverse, by minors */

typedef struct grid {
    LLVMValueRef at[4][4]; /* [column][row] */
} grid;

static grid without(const grid *from, uint32_t n, uint32_t column, uint32_t row)
{
    grid result = {0};
    for (uint32_t c = 0, to_c = 0; c < n; c++) {
        if (c == column)
            continue;
        for (uint32_t r = 0, to_r = 0; r < n; r++)
            if (r != row)
                result.at[to_c][to_r++] = from->at[c][r];
        to_c++;
    }
    return result;
}

static LLVMValueRef determinant(wpg_tr *t, const grid *m, uint32_t n)
{
    if (n == 1)
        return m->at[0][0];
    LLVMValueRef sum = NULL;
    for (uint32_t c = 0; c < n; c++) {
        grid rest = without(m, n, c, 0);
        LLVMValueRef term = wpg_tr_mul(t, m->at[c][0], determinant(t, &rest, n - 1));
        sum = !sum ? term : c % 2 ? wpg_tr_sub(t, sum, term) : wpg_tr_add(t, sum, term);
    }
    return sum;
}

static bool grid_of(wpg_tr *t, grid *m, LLVMValueRef matrix, uint32_t n)
{
    uint32_t columns, rows;
    if (!shape(matrix, &columns, &rows) || columns != n || rows != n)
        return wpg_tr_malformed(t);
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t r = 0; r < n; r++)
            m->at[c][r] = wpg_tr_get(t, wpg_tr_get(t, matrix, c), r);
    return true;
}

LLVMValueRef wpg_tr_determinant(wpg_tr *t, LLVMValueRef matrix, uint32_t n)
{
    grid m;
    return grid_of(t, &m, matrix, n) ? determinant(t, &m, n) : NULL;
}

LLVMValueRef wpg_tr_inverse(wpg_tr *t, LLVMValueRef matrix, uint32_t n)
{
    grid m;
    if (!grid_of(t, &m, matrix, n))
        return NULL;
    LLVMTypeRef scalar = wpg_tr_scalar(column_type(matrix));
    LLVMValueRef scale = wpg_tr_div(t, LLVMConstReal(scalar, 1), determinant(t, &m, n));
    LLVMValueRef result = LLVMGetPoison(LLVMTypeOf(matrix));
    for (uint32_t c = 0; c < n; c++) {
        LLVMValueRef column = LLVMGetPoison(column_type(matrix));
        for (uint32_t r = 0; r < n; r++) { /* the cofactor of the transposed place */
            grid rest = without(&m, n, r, c);
            LLVMValueRef part = wpg_tr_mul(t, determinant(t, &rest, n - 1), scale);
            column = wpg_tr_set(t, column, (c + r) % 2 ? wpg_tr_neg(t, part) : part, r);
        }
        result = wpg_tr_set(t, result, column, c);
    }
    return result;
}

wpg_tr_result wpg_tr_matrices(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef a, b = NULL, result = NULL;
    switch (inst->opcode) {
    case SpvOpTranspose:
    case SpvOpMatrixTimesScalar:
    case SpvOpMatrixTimesVector:
    case SpvOpVectorTimesMatrix:
    case SpvOpMatrixTimesMatrix:
    case SpvOpOuterProduct:
        break;
    default:
        return WPG_TR_OTHER;
    }
    a = wpg_tr_value(t, inst, 3);
    if (!a || (inst->opcode != SpvOpTranspose && !(b = wpg_tr_value(t, inst, 4))))
        return WPG_TR_FAILED;
    switch (inst->opcode) {
    case SpvOpTranspose:
        result = transposed(t, a);
        break;
    case SpvOpMatrixTimesScalar:
        result = scaled(t, a, b);
        break;
    case SpvOpMatrixTimesVector:
        result = times_vector(t, a, b);
        break;
    case SpvOpVectorTimesMatrix:
        result = vector_times(t, a, b);
        break;
    case SpvOpMatrixTimesMatrix:
        result = product_of(t, a, b);
        break;
    default:
        result = outer(t, a, b);
        break;
    }
    return wpg_tr_did(result ? wpg_tr_define(t, inst, result) : wpg_tr_malformed(t));
}
