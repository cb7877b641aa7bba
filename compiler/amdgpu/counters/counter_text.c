#include "compiler/amdgpu/counters/counter_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MASK = WPG_COUNTER_MASK, SCRATCH = WPG_COUNTER_SCRATCH, TICKS = WPG_COUNTER_TICKS };

void wpg_text_finish(wpg_text *text)
{
    free(text->data);
    *text = (wpg_text){0};
}

__attribute__((format(printf, 2, 3))) static void line(wpg_text *text, const char *fmt, ...)
{
    char buffer[128];
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(buffer, sizeof buffer, fmt, args);
    va_end(args);
    if (text->failed || length < 0 || (size_t)length >= sizeof buffer) {
        text->failed = true;
        return;
    }
    size_t need = text->size + (size_t)length + 2;
    if (need > text->room) {
        char *grown = realloc(text->data, need * 2);
        if (!grown) {
            text->failed = true;
            return;
        }
        text->data = grown;
        text->room = need * 2;
    }
    memcpy(text->data + text->size, buffer, (size_t)length);
    text->size += (size_t)length;
    text->data[text->size++] = '\n';
    text->data[text->size] = '\0';
}

unsigned wpg_counter_end(unsigned major)
{
    return major < 10 ? 100 : 102;
}

/* Registers and suffixes by wave size. */
static const char *width(const wpg_counter_target *t)
{
    return t->wave_size == 32 ? "b32" : "b64";
}

static const char *exec(const wpg_counter_target *t)
{
    return t->wave_size == 32 ? "exec_lo" : "exec";
}

static const char *vcc(const wpg_counter_target *t)
{
    return t->wave_size == 32 ? "vcc_lo" : "vcc";
}

/* SCC = `mask` is the entry mask. */
static void compare(wpg_text *text, const wpg_counter_target *t, const char *mask)
{
    if (t->wave_size == 32)
        line(text, "s_cmp_eq_u32 %s, s%d", mask, MASK);
    else
        line(text, "s_cmp_eq_u64 %s, s[%d:%d]", mask, MASK, MASK + 1);
}

/* A scalar register that a vector instruction has read was written anew: gfx12 may give the old value. */
static void settle(wpg_text *text, const wpg_counter_target *t)
{
    if (t->major >= 12)
        line(text, "s_wait_alu 0x0");
}

/* Nothing is under way that reads or writes a register, or will. */
static void wait(wpg_text *text, const wpg_counter_target *t)
{
    if (t->major >= 12) {
        static const char *const waits[] = {"loadcnt", "samplecnt", "bvhcnt", "storecnt", "dscnt", "kmcnt"};
        for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
            line(text, "s_wait_%s 0x0", waits[i]);
    } else {
        line(text, "s_waitcnt vmcnt(0) lgkmcnt(0)");
        if (t->major >= 10)
            line(text, "s_waitcnt_vscnt null, 0x0");
    }
    if (t->major == 10 || t->major == 11)
        line(text, "s_waitcnt_depctr 0x0");
    settle(text, t);
}

/* Scalar registers that memory operations read may be written from here on (gfx10.1). */
static void release(wpg_text *text, const wpg_counter_target *t)
{
    if (t->major == 10)
        line(text, "s_waitcnt_depctr 0x0");
}

/* v[0:1] is added at the address, `at` bytes and v`offset` on. */
static void add_to_memory(wpg_text *text, const wpg_counter_target *t, unsigned offset, unsigned at)
{
    unsigned base = t->base;
    char bytes[24] = "";
    if (at)
        (void)snprintf(bytes, sizeof bytes, " offset:%u", at);
    line(text, "global_atomic_add_%s v%u, v[0:1], s[%u:%u]%s%s", t->major >= 11 ? "u64" : "x2", offset, base,
         base + 1, bytes, t->major >= 12 ? " scope:SCOPE_DEV" : "");
}

void wpg_text_begin(wpg_text *text, const wpg_counter_target *t, const wpg_accumulator *all, size_t count)
{
    line(text, "s_mov_%s %s%d%s, %s", width(t), t->wave_size == 32 ? "s" : "s[", MASK,
         t->wave_size == 32 ? "" : ":41]", exec(t));
    line(text, "s_mov_b32 s%d, 0", TICKS);
    for (size_t i = 0; i < count; i++)
        line(text, "s_mov_b32 s%u, 0", all[i].sgpr);
}

void wpg_text_address(wpg_text *text, const wpg_counter_target *t)
{
    unsigned base = t->base;
    line(text, "s_mov_b64 s[%u:%u], $0", base, base + 1);
}

void wpg_text_count(wpg_text *text, const wpg_counter_target *t, wpg_block_registers r)
{
    line(text, "s_add_u32 s%u, s%u, 1", r.waves, r.waves);
    if (r.lanes) {
        line(text, "s_bcnt1_i32_%s s%d, %s", width(t), SCRATCH, exec(t));
        line(text, "s_add_u32 s%u, s%u, s%d", r.lanes, r.lanes, SCRATCH);
    }
    if (r.uniform) {
        compare(text, t, exec(t));
        line(text, "s_addc_u32 s%u, s%u, 0", r.uniform, r.uniform);
    }
}

void wpg_text_count_in_memory(wpg_text *text, const wpg_counter_target *t, wpg_block_slots slots)
{
    /* An active lane, not any: the others' v0 to v2 may hold what they left a loop with. */
    line(text, "s_mov_%s %s, %s", width(t), vcc(t), exec(t));
    line(text, "s_ff1_i32_%s s%d, %s", width(t), SCRATCH, exec(t));
    line(text, "s_lshl_%s %s, 1, s%d", width(t), exec(t), SCRATCH);
    line(text, "v_mov_b32 v1, 0");
    line(text, "v_mov_b32 v0, 1");
    line(text, "v_mov_b32 v2, 0x%x", slots.waves * 8);
    add_to_memory(text, t, 2, 0);
    if (slots.lanes != UINT32_MAX) {
        line(text, "s_bcnt1_i32_%s s%d, %s", width(t), SCRATCH, vcc(t));
        settle(text, t);
        line(text, "v_mov_b32 v0, s%d", SCRATCH);
        line(text, "v_mov_b32 v2, 0x%x", slots.lanes * 8);
        add_to_memory(text, t, 2, 0);
    }
    if (slots.uniform != UINT32_MAX) {
        compare(text, t, vcc(t));
        line(text, "s_cselect_b32 s%d, 1, 0", SCRATCH);
        settle(text, t);
        line(text, "v_mov_b32 v0, s%d", SCRATCH);
        line(text, "v_mov_b32 v2, 0x%x", slots.uniform * 8);
        add_to_memory(text, t, 2, 0);
    }
    release(text, t);
    line(text, "s_mov_%s %s, %s", width(t), exec(t), vcc(t));
}

void wpg_text_tick(wpg_text *text, const wpg_counter_target *t, unsigned loop)
{
    line(text, "s_add_u32 s%d, s%d, 0x%x", TICKS, TICKS, UINT32_C(1) << (32 - t->epoch));
    line(text, "s_cbranch_scc0 .Lwpg_go_%u", loop);
    line(text, "s_mov_b32 s%d, %u", TICKS, loop);
    line(text, "s_branch .Lwpg_epoch");
    line(text, ".Lwpg_back_%u:", loop);
    line(text, "s_mov_b32 s%d, 0", TICKS);
    line(text, ".Lwpg_go_%u:", loop);
}

/* Once in 2^epoch loop iterations, anywhere: nothing may be changed but accumulators and what a tick names,
 * so that lane 0 lends two vector registers and gets them back. Slow, and that does not matter. */
static void text_epoch(wpg_text *text, const wpg_counter_target *t, const wpg_accumulator *all, size_t count,
                       unsigned loops)
{
    unsigned base = t->base, at = 0;
    line(text, "s_branch .Lwpg_done");
    line(text, ".Lwpg_epoch:");
    wait(text, t);
    line(text, "s_mov_%s %s, %s", width(t), vcc(t), exec(t));
    line(text, "v_readlane_b32 s%d, v0, 0", SCRATCH);
    settle(text, t);
    line(text, "s_mov_b32 m0, s%d", SCRATCH);
    line(text, "v_readlane_b32 s%d, v1, 0", SCRATCH);
    line(text, "s_mov_%s %s, 1", width(t), exec(t));
    line(text, "v_mov_b32 v1, 0"); /* the upper half of what is added, and the offset */
    for (size_t i = 0; i < count; i++) {
        unsigned offset = all[i].slot * 8;
        if (offset - at > 2040) { /* as far as gfx10 can reach */
            wait(text, t);
            line(text, "s_add_u32 s%u, s%u, 0x%x", base, base, offset - at);
            line(text, "s_addc_u32 s%u, s%u, 0", base + 1, base + 1);
            at = offset;
        }
        line(text, "v_mov_b32 v0, s%u", all[i].sgpr);
        add_to_memory(text, t, 1, offset - at);
        line(text, "s_mov_b32 s%u, 0", all[i].sgpr);
    }
    wait(text, t);
    if (at) {
        line(text, "s_sub_u32 s%u, s%u, 0x%x", base, base, at);
        line(text, "s_subb_u32 s%u, s%u, 0", base + 1, base + 1);
    }
    line(text, "v_writelane_b32 v1, s%d, 0", SCRATCH);
    line(text, "s_mov_b32 s%d, m0", SCRATCH);
    settle(text, t);
    line(text, "v_writelane_b32 v0, s%d, 0", SCRATCH);
    line(text, "s_mov_%s %s, %s", width(t), exec(t), vcc(t));
    settle(text, t);
    for (unsigned loop = 1; loop < loops; loop++) {
        line(text, "s_cmp_eq_u32 s%d, %u", TICKS, loop);
        line(text, "s_cbranch_scc1 .Lwpg_back_%u", loop);
    }
    line(text, "s_branch .Lwpg_back_0");
    line(text, ".Lwpg_done:");
}

/* Lane i gets accumulator i; the lanes' counters mostly lie side by side, those that do not are put right one
 * by one. */
static void flush_some(wpg_text *text, const wpg_counter_target *t, const wpg_accumulator *some,
                       unsigned count)
{
    if (count == t->wave_size)
        line(text, "s_mov_%s %s, -1", width(t), exec(t));
    else
        line(text, "s_bfm_%s %s, %u, 0", width(t), exec(t), count);
    line(text, "v_mov_b32 v1, 0");
    line(text, "v_mbcnt_lo_u32_b32 v2, -1, 0");
    if (t->wave_size == 64)
        line(text, "v_mbcnt_hi_u32_b32 v2, -1, v2");
    line(text, "v_lshlrev_b32 v2, 3, v2");
    for (unsigned i = 0; i < count; i++) {
        line(text, "v_writelane_b32 v0, s%u, %u", some[i].sgpr, i);
        if (some[i].slot == some->slot + i)
            continue;
        line(text, "s_mov_b32 s%d, 0x%x", SCRATCH, (some[i].slot - some->slot) * 8);
        settle(text, t);
        line(text, "v_writelane_b32 v2, s%d, %u", SCRATCH, i);
    }
    if (some->slot)
        line(text, "v_add_%s v2, 0x%x, v2", t->major < 10 ? "u32" : "nc_u32", some->slot * 8);
    add_to_memory(text, t, 2, 0);
}

void wpg_text_flush(wpg_text *text, const wpg_counter_target *t, const wpg_accumulator *all, size_t count,
                    unsigned loops)
{
    wait(text, t); /* a load whose result nobody wants may still arrive */
    line(text, "s_mov_%s %s, %s", width(t), vcc(t), exec(t));
    for (size_t i = 0; i < count; i += t->wave_size) {
        if (i)
            release(text, t);
        flush_some(text, t, all + i, (unsigned)(count - i < t->wave_size ? count - i : t->wave_size));
    }
    release(text, t);
    line(text, "s_mov_%s %s, %s", width(t), exec(t), vcc(t));
    if (loops)
        text_epoch(text, t, all, count, loops);
}
