/* What tuning found of one pipeline on one device with one driver: facts of kind "verdict".
 *
 * The file is verdicts/<subject>.facts of a bundle. The subject is the hash of the device's key and the
 * pipeline's hash: a pipeline's file is found without a search, and equal subjects of two bundles are of the
 * same pipeline and device.
 *
 *     is pipeline <hash>
 *     is device llvmpipe (LLVM 19.1.7, 256 bits)
 *     is device.key <hash>             of everything below that starts with "device." or "driver."
 *     is device.id 00010005 00000000   vendor, device
 *     is driver.id 13 25000007         VkDriverId, its version (hexadecimal)
 *     is driver.uuid <32 digits>       pipelineCacheUUID
 *     is build <build id>              of the layer that measured
 *     is method timestamps             or static: by what the driver says that pipelines cost (runtime/tune/
 *                                      estimate.h); ratios are of costs then, and no look was taken
 *     is confidence 0.95               of all decisions about the pipeline together; of static ones none: 0
 *     is margin 0.01                   a winner is faster by more than this share
 *     is winner ut                     letters of the passes to apply; - = none; p beside others: variants by
 *                                      push constants where one serves, these passes elsewhere
 *     is candidate.ut wins 0.512345 0.490000 0.530000 1 16 <XXH3-128 of its words>
 *                                      outcome, time ratio to the original, its interval, looks taken,
 *                                      samples
 *     is samples.ut SHAPE:PUSH:NANOSECONDS ...   hexadecimal, in the order measured; "-" is the original
 *
 * An interrupted tuning goes on from the samples. Words, not builds, decide whether a verdict still applies:
 * a candidate applies where the words that it gives have the hash that was measured. All facts are
 * properties: the weights of a merge change nothing. Two verdicts on one subject are never added up
 * (wpg_verdict_merge).
 * Verdicts are untrusted input.
 *
 * Owns: nothing; the caller destroys facts and frees verdicts.
 * Threads: one verdict, one thread at a time. */
#ifndef WPG_RUNTIME_BUNDLE_VERDICTS_H
#define WPG_RUNTIME_BUNDLE_VERDICTS_H

#include <stdbool.h>

#include "runtime/base/hash.h"
#include "runtime/bundle/facts.h"

enum {
    WPG_VERDICT_CANDIDATES = 8, /* beside the original */
    WPG_VERDICT_SAMPLES = 128,  /* of each */
    WPG_VERDICT_PASSES = 27,    /* letters of a set, with the NUL */
};

/* What makes executions comparable, and how long one took. */
typedef struct wpg_sample {
    uint32_t shape; /* hash of the commands: workgroups, vertices, how many */
    uint32_t push;  /* hash of the push constants they saw */
    uint64_t nanoseconds;
} wpg_sample;

typedef enum wpg_outcome {
    WPG_OUTCOME_OPEN,
    WPG_OUTCOME_WINS,
    WPG_OUTCOME_LOSES,
    WPG_OUTCOME_UNDECIDED
} wpg_outcome;

typedef struct wpg_candidate {
    char passes[WPG_VERDICT_PASSES]; /* letters, sorted; "" is the original */
    wpg_hash128 words;               /* of all stages together; zero for the original */
    wpg_outcome outcome;
    double ratio, low, high; /* time over the original's; 0 0 0: no look was taken */
    uint32_t looks;          /* taken */
    uint32_t count;
    wpg_sample samples[WPG_VERDICT_SAMPLES];
} wpg_candidate;

/* Which device and driver. Texts without newlines. */
typedef struct wpg_device_key {
    char name[256];
    uint32_t vendor, device, driver, version;
    uint8_t uuid[16];
} wpg_device_key;

typedef struct wpg_verdict {
    wpg_hash128 pipeline;
    wpg_device_key device;
    char build[80]; /* hexadecimal, may be "" */
    bool is_static;
    double confidence, margin;
    size_t count; /* of `alternatives`: the original first, then candidates */
    wpg_candidate alternatives[1 + WPG_VERDICT_CANDIDATES];
} wpg_verdict;

wpg_hash128 wpg_device_key_hash(const wpg_device_key *key);
/* The subject of a device's verdict on a pipeline. */
wpg_hash128 wpg_verdict_subject(wpg_hash128 device_key, wpg_hash128 pipeline);

/* The candidate that is the original with variants by push constants; its words are those of the variant for
 * the commonest values. Every other candidate is a pipeline of its own. */
#define WPG_VERDICT_BY_VALUE "p"

/* The winner with the smallest ratio, variants aside; NULL if there is none. */
const wpg_candidate *wpg_verdict_winner(const wpg_verdict *verdict);
/* Variants, if they won and the winner beside them is not faster still; else NULL. */
const wpg_candidate *wpg_verdict_by_value(const wpg_verdict *verdict);
/* Letters of what applies: those of a set, and that of variants, sorted; "-" = nothing. */
void wpg_verdict_join(char passes[WPG_VERDICT_PASSES], const char *set, bool by_value);
bool wpg_verdict_settled(const wpg_verdict *verdict); /* no candidate is open */
/* Tuning by time is not done: nothing won yet, and a candidate that may win is open. */
bool wpg_verdict_unfinished(const wpg_verdict *verdict);
/* Looks taken at all candidates together. */
uint32_t wpg_verdict_looks(const wpg_verdict *verdict);
const char *wpg_outcome_name(wpg_outcome outcome);

/* As facts; the caller destroys them. */
wpg_status wpg_verdict_encode(wpg_facts **facts, const wpg_verdict *verdict, wpg_error *err);
/* The caller frees *verdict. WPG_E_FORMAT names the fact. */
wpg_status wpg_verdict_decode(wpg_verdict **verdict, const wpg_facts *facts, wpg_error *err);

/* Decides between two verdicts on one subject. In this order: the one looked at by time stands; the one with
 * more samples; the settled one; the one whose file is smaller as text. So the order of merging does not
 * matter. A verdict that cannot be decoded gives way. Samples are not pooled: a tuning that stopped at a
 * decision may not be looked at again with other samples, or its confidence is lost. Takes `from` over,
 * destroys the verdict that does not stand and gives the other. */
wpg_facts *wpg_verdict_merge(wpg_facts *into, wpg_facts *from);

#endif
