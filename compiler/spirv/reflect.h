/* What one entry point needs of the pipeline around it, read from its module: descriptors, push constants,
 * vertex inputs, attachments written, and topology. No Vulkan type occurs: the caller makes layouts of the
 * answer. The module's specialisation constants should be frozen (compiler/normalize); otherwise array
 * lengths take the defaults. Input is untrusted: a module that does not fit gives WPG_E_UNSUPPORTED with the
 * reason. Ownership: plain data. Threads: as module.h. Source: Vulkan 1.3, 15.5 (Shader Resource Interface),
 * 15.1 (Shader Input and Output Interfaces). */
#ifndef WPG_COMPILER_SPIRV_REFLECT_H
#define WPG_COMPILER_SPIRV_REFLECT_H

#include "compiler/spirv/stage.h"

enum { WPG_REFLECT_BINDINGS = 128, WPG_REFLECT_LOCATIONS = 32, WPG_REFLECT_UNSIZED = 16 };

typedef enum wpg_descriptor {
    WPG_DESCRIPTOR_SAMPLER,
    WPG_DESCRIPTOR_COMBINED_IMAGE_SAMPLER,
    WPG_DESCRIPTOR_SAMPLED_IMAGE,
    WPG_DESCRIPTOR_STORAGE_IMAGE,
    WPG_DESCRIPTOR_UNIFORM_TEXEL_BUFFER,
    WPG_DESCRIPTOR_STORAGE_TEXEL_BUFFER,
    WPG_DESCRIPTOR_UNIFORM_BUFFER,
    WPG_DESCRIPTOR_STORAGE_BUFFER,
    WPG_DESCRIPTOR_INPUT_ATTACHMENT,
    WPG_DESCRIPTOR_ACCELERATION_STRUCTURE,
} wpg_descriptor;

typedef struct wpg_reflect_binding {
    uint32_t set, binding, count; /* count: of an array without size, WPG_REFLECT_UNSIZED */
    wpg_descriptor type;
} wpg_reflect_binding;

typedef enum wpg_component {
    WPG_COMPONENT_NONE, /* nothing at that location */
    WPG_COMPONENT_FLOAT,
    WPG_COMPONENT_INT,
    WPG_COMPONENT_UINT,
} wpg_component;

typedef struct wpg_reflection {
    wpg_reflect_binding bindings[WPG_REFLECT_BINDINGS];
    uint32_t binding_count;
    uint32_t push_bytes; /* a multiple of 4; 0: none */
    /* Inputs of a vertex shader and outputs of a fragment shader, by location. */
    wpg_component inputs[WPG_REFLECT_LOCATIONS], outputs[WPG_REFLECT_LOCATIONS];
    uint32_t output_vertices;    /* of a tessellation control shader; 0: not said */
    SpvExecutionMode primitive;  /* of a geometry shader: what comes in (SpvExecutionModeInputPoints, ..);
                                    SpvExecutionModeMax: not said */
    bool multiview, dual_source; /* the shader reads the view's index; writes the second source of blending */
} wpg_reflection;

/* WPG_E_NOT_FOUND: no such entry point. */
wpg_status wpg_reflect(wpg_reflection *reflection, const wpg_module *module, const wpg_stage *stage,
                       wpg_error *err);

#endif
