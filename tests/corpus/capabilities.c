/* See capabilities.h. */
#include "tests/corpus/capabilities.h"

bool has_capabilities(const wpg_module *module, const VkPhysicalDeviceFeatures *features)
{
    static const SpvCapability every[] = {
        SpvCapabilityMatrix,
        SpvCapabilityShader,
        SpvCapabilityInputAttachment,
        SpvCapabilitySampled1D,
        SpvCapabilityImage1D,
        SpvCapabilitySampledBuffer,
        SpvCapabilityImageBuffer,
        SpvCapabilityImageQuery,
        SpvCapabilityDerivativeControl,
        SpvCapabilityStorageImageReadWithoutFormat,
        SpvCapabilityStorageImageWriteWithoutFormat,
        SpvCapabilityGroupNonUniform,
        SpvCapabilityGroupNonUniformVote,
        SpvCapabilityGroupNonUniformArithmetic,
        SpvCapabilityGroupNonUniformBallot,
        SpvCapabilityGroupNonUniformShuffle,
        SpvCapabilityGroupNonUniformShuffleRelative,
        SpvCapabilityGroupNonUniformClustered,
        SpvCapabilityGroupNonUniformQuad,
        SpvCapabilitySubgroupBallotKHR,
        SpvCapabilitySubgroupVoteKHR,
        SpvCapabilityDrawParameters,
        SpvCapabilityVariablePointers,
        SpvCapabilityVariablePointersStorageBuffer,
        SpvCapabilityStorageBuffer16BitAccess,
        SpvCapabilityUniformAndStorageBuffer16BitAccess,
        SpvCapabilityStorageBuffer8BitAccess,
        SpvCapabilityUniformAndStorageBuffer8BitAccess,
        SpvCapabilityStoragePushConstant16,
        SpvCapabilityStoragePushConstant8,
        SpvCapabilityFloat16,
        SpvCapabilityInt8,
        SpvCapabilityVulkanMemoryModel,
        SpvCapabilityVulkanMemoryModelDeviceScope,
        SpvCapabilityShaderNonUniform,
        SpvCapabilityRuntimeDescriptorArray,
        SpvCapabilityUniformTexelBufferArrayDynamicIndexing,
        SpvCapabilityStorageTexelBufferArrayDynamicIndexing,
        SpvCapabilityUniformBufferArrayNonUniformIndexing,
        SpvCapabilitySampledImageArrayNonUniformIndexing,
        SpvCapabilityStorageBufferArrayNonUniformIndexing,
        SpvCapabilityStorageImageArrayNonUniformIndexing,
        SpvCapabilityUniformTexelBufferArrayNonUniformIndexing,
        SpvCapabilityStorageTexelBufferArrayNonUniformIndexing,
        SpvCapabilitySignedZeroInfNanPreserve,
        SpvCapabilityDenormPreserve,
        SpvCapabilityRoundingModeRTE,
        SpvCapabilityDemoteToHelperInvocationEXT,
        SpvCapabilityDotProduct,
        SpvCapabilityDotProductInput4x8Bit,
        SpvCapabilityDotProductInput4x8BitPacked,
        SpvCapabilityDotProductInputAll,
    };
    const struct {
        SpvCapability capability;
        VkBool32 is;
    } some[] = {
        {SpvCapabilityGeometry, features->geometryShader},
        {SpvCapabilityTessellation, features->tessellationShader},
        {SpvCapabilityFloat64, features->shaderFloat64},
        {SpvCapabilityInt64, features->shaderInt64},
        {SpvCapabilityInt16, features->shaderInt16},
        {SpvCapabilityImageGatherExtended, features->shaderImageGatherExtended},
        {SpvCapabilityStorageImageMultisample, features->shaderStorageImageMultisample},
        {SpvCapabilityUniformBufferArrayDynamicIndexing, features->shaderUniformBufferArrayDynamicIndexing},
        {SpvCapabilitySampledImageArrayDynamicIndexing, features->shaderSampledImageArrayDynamicIndexing},
        {SpvCapabilityStorageBufferArrayDynamicIndexing, features->shaderStorageBufferArrayDynamicIndexing},
        {SpvCapabilityStorageImageArrayDynamicIndexing, features->shaderStorageImageArrayDynamicIndexing},
        {SpvCapabilityClipDistance, features->shaderClipDistance},
        {SpvCapabilityCullDistance, features->shaderCullDistance},
        {SpvCapabilitySampleRateShading, features->sampleRateShading},
        {SpvCapabilityInterpolationFunction, features->sampleRateShading},
        {SpvCapabilityMinLod, features->shaderResourceMinLod},
        {SpvCapabilityImageCubeArray, features->imageCubeArray},
        {SpvCapabilitySampledCubeArray, features->imageCubeArray},
        {SpvCapabilityStorageImageExtendedFormats, features->shaderStorageImageExtendedFormats},
        {SpvCapabilityMultiViewport, features->multiViewport},
        {SpvCapabilityImageMSArray, features->shaderStorageImageMultisample}};
    WPG_INST_EACH (i, module) {
        bool found = i->opcode != SpvOpCapability;
        for (size_t n = 0; !found && n < sizeof every / sizeof *every; n++)
            found = i->words[1] == (uint32_t)every[n];
        for (size_t n = 0; !found && n < sizeof some / sizeof *some; n++)
            found = i->words[1] == (uint32_t)some[n].capability && some[n].is;
        if (!found)
            return false;
    }
    return true;
}
