// The bridge to SPIRV-Tools: the only C++ of the compiler. Its libraries are linked statically, its headers
// are used here and nowhere else. Every entry catches whatever is thrown: nothing of C++ leaves this file.
// Threads: any; each call makes a context of its own and shares nothing.
#include "compiler/normalize/spirv_tools.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <spirv/unified1/spirv.h>

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

namespace
{

enum { HEADER_WORDS = 5, NEWEST_LANGUAGE = SpvSourceLanguageHLSL };
const uint32_t SPIRV_1_3 = 0x00010300, SPIRV_1_4 = 0x00010400;

// Keeps the first error a tool reports; later ones are usually consequences.
struct first_message {
    std::string text;
    spvtools::MessageConsumer consumer()
    {
        return [this](spv_message_level_t level, const char *, const spv_position_t &position,
                      const char *message) {
            if (level > SPV_MSG_ERROR || !text.empty())
                return;
            text = message ? message : "";
            if (position.index)
                text += " (word " + std::to_string(position.index) + ")";
        };
    }
};

// One line that fits an error message: newlines become spaces, the disassembly behind the first is dropped.
std::string one_line(const std::string &text)
{
    std::string line = text.substr(0, text.find("\n  %"));
    for (char &c : line)
        if (c == '\n' || c == '\t')
            c = ' ';
    while (!line.empty() && line.back() == ' ')
        line.pop_back();
    return line;
}

uint32_t version_of(const uint32_t *words)
{
    // A module of the other byte order carries its version swapped.
    const bool swapped = words[0] != 0x07230203;
    return swapped ? __builtin_bswap32(words[1]) : words[1];
}

// SPIR-V 1.4 on Vulkan 1.1 is an extension that real devices have; the plain 1.1 environment would refuse it.
spv_target_env environment(unsigned vulkan_minor, uint32_t version)
{
    switch (vulkan_minor) {
    case 0:
        return SPV_ENV_VULKAN_1_0;
    case 1:
        return version > SPIRV_1_3 ? SPV_ENV_VULKAN_1_1_SPIRV_1_4 : SPV_ENV_VULKAN_1_1;
    case 2:
        return SPV_ENV_VULKAN_1_2;
    default:
        return SPV_ENV_VULKAN_1_3;
    }
}

spv_target_env universal(uint32_t version)
{
    switch (version) {
    case 0x00010000:
        return SPV_ENV_UNIVERSAL_1_0;
    case 0x00010100:
        return SPV_ENV_UNIVERSAL_1_1;
    case 0x00010200:
        return SPV_ENV_UNIVERSAL_1_2;
    case SPIRV_1_3:
        return SPV_ENV_UNIVERSAL_1_3;
    case SPIRV_1_4:
        return SPV_ENV_UNIVERSAL_1_4;
    case 0x00010500:
        return SPV_ENV_UNIVERSAL_1_5;
    default:
        return SPV_ENV_UNIVERSAL_1_6;
    }
}

wpg_status caught(wpg_error *err)
{
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return wpg_fail(err, WPG_E_NOMEM, "out of memory in SPIRV-Tools");
    } catch (const std::exception &e) {
        return wpg_fail(err, WPG_E_UNSUPPORTED, "SPIRV-Tools: %s", e.what());
    } catch (...) {
        return wpg_fail(err, WPG_E_UNSUPPORTED, "SPIRV-Tools failed");
    }
}

// Source languages younger than the library stop its parser, though they mean nothing to it: a copy says
// "unknown". Word counts are checked by the library itself; a broken module is copied as far as it can be
// walked.
class readable_words
{
  public:
    readable_words(const uint32_t *words, size_t count) : words_(words)
    {
        if (words[0] != SpvMagicNumber)
            return;
        for (size_t at = HEADER_WORDS; at < count && words[at] >> 16 && (words[at] & 0xffff) != SpvOpFunction;
             at += words[at] >> 16) {
            if ((words[at] & 0xffff) != SpvOpSource || at + 1 >= count || words[at + 1] <= NEWEST_LANGUAGE)
                continue;
            if (copy_.empty())
                copy_.assign(words, words + count);
            copy_[at + 1] = SpvSourceLanguageUnknown;
            words_ = copy_.data();
        }
    }
    readable_words(const readable_words &) = delete;
    const uint32_t *data() const { return words_; }

  private:
    std::vector<uint32_t> copy_;
    const uint32_t *words_;
};

// The optimiser trusts its input, an undefined id in a name is enough to crash it, and has been seen to give
// an invalid module for a valid one (integer arithmetic on variable pointers, 2023.1): both are asked. Layout
// rules, which it does not depend on and which devices relax, are not asked.
bool is_valid(const uint32_t *words, size_t count, spv_target_env env, first_message &message)
{
    spvtools::Context context(env);
    context.SetMessageConsumer(message.consumer());
    spvtools::ValidatorOptions options;
    options.SetSkipBlockLayout(true);
    options.SetAllowLocalSizeId(true);
    options.SetFriendlyNames(false);
    spv_const_binary_t binary = {words, count};
    return spvValidateWithOptions(context.CContext(), options, &binary, nullptr) == SPV_SUCCESS;
}

// The order is the tier. Left out on purpose: constant propagation and simplification of SPIRV-Tools (insert
// and extract elimination is simplification too: they fold floating point with the host's libm, which need
// not give the driver's bits, and crash on composites with null parts in 2023.1); block merging, dead-branch
// elimination, if-conversion, every loop pass and code sinking (they change or reorder blocks, or move code
// across merges, which subgroup and derivative instructions forbid). Dead code elimination removes whole dead
// constructs, and keeps the labels of all other blocks.
void register_passes(spvtools::Optimizer &optimizer)
{
    optimizer.RegisterPass(spvtools::CreateScalarReplacementPass(64))
        .RegisterPass(spvtools::CreateLocalAccessChainConvertPass())
        .RegisterPass(spvtools::CreateLocalSingleBlockLoadStoreElimPass())
        .RegisterPass(spvtools::CreateLocalSingleStoreElimPass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass(true))
        .RegisterPass(spvtools::CreateSSARewritePass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass(true));
}

} // namespace

extern "C" wpg_status wpg_spirv_validate(const uint32_t *words, size_t count,
                                         const wpg_validate_options *options, wpg_error *err)
{
    if (!words || count < HEADER_WORDS || !options)
        return wpg_fail(err, WPG_E_FORMAT, "no SPIR-V module: %zu words", count);
    try {
        first_message message;
        spvtools::Context context(environment(options->vulkan_minor, version_of(words)));
        context.SetMessageConsumer(message.consumer());
        spvtools::ValidatorOptions v;
        v.SetUniformBufferStandardLayout(options->uniform_buffer_standard_layout);
        v.SetScalarBlockLayout(options->scalar_block_layout);
        v.SetWorkgroupScalarBlockLayout(options->workgroup_scalar_block_layout);
        v.SetRelaxBlockLayout(options->relax_block_layout || options->vulkan_minor >= 1);
        v.SetAllowLocalSizeId(options->local_size_id);
        v.SetFriendlyNames(false); // quadratic in equal names, of which inlining makes many
        const readable_words readable(words, count);
        spv_const_binary_t binary = {readable.data(), count};
        if (spvValidateWithOptions(context.CContext(), v, &binary, nullptr) == SPV_SUCCESS)
            return WPG_OK;
        return wpg_fail(err, WPG_E_FORMAT, "%s", one_line(message.text).c_str());
    } catch (...) {
        return caught(err);
    }
}

extern "C" wpg_status wpg_ssa_tier(uint32_t **out_words, size_t *out_count, const uint32_t *words,
                                   size_t count, wpg_error *err)
{
    if (!words || count < HEADER_WORDS)
        return wpg_fail(err, WPG_E_FORMAT, "no SPIR-V module: %zu words", count);
    try {
        first_message message;
        const readable_words readable(words, count);
        const spv_target_env env = universal(version_of(words));
        if (!is_valid(readable.data(), count, env, message))
            return wpg_fail(err, WPG_E_UNSUPPORTED, "SSA tier: %s", one_line(message.text).c_str());
        spvtools::Optimizer optimizer(env);
        optimizer.SetMessageConsumer(message.consumer());
        register_passes(optimizer);
        spvtools::OptimizerOptions options;
        options.set_run_validator(false);
        std::vector<uint32_t> result;
        if (!optimizer.Run(readable.data(), count, &result, options))
            return wpg_fail(err, WPG_E_UNSUPPORTED, "SSA tier: %s", one_line(message.text).c_str());
        if (result.size() < HEADER_WORDS)
            return wpg_fail(err, WPG_E_UNSUPPORTED, "SSA tier gave no module");
        if (!is_valid(result.data(), result.size(), env, message))
            return wpg_fail(err, WPG_E_UNSUPPORTED, "SSA tier gave an invalid module: %s",
                            one_line(message.text).c_str());
        uint32_t *copy = static_cast<uint32_t *>(std::malloc(result.size() * sizeof(uint32_t)));
        if (!copy)
            return wpg_fail(err, WPG_E_NOMEM, "out of memory for %zu words", result.size());
        std::memcpy(copy, result.data(), result.size() * sizeof(uint32_t));
        *out_words = copy;
        *out_count = result.size();
        return WPG_OK;
    } catch (...) {
        return caught(err);
    }
}
