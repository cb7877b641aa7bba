// Autodesk/maya-usd pull request 4016, "Lobe pruning shader optimization" (OpenUSD 3525; wished for in MaterialX 2680).
// Before: the generated shader of OpenPBR evaluates its whole graph, whatever the weights in the uniform block are. The
// material is the default one with a red base under a dome light: coat, fuzz, transmission, subsurface and metal have weight 0.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "surface.glsl"

Lobe shade(Frame f)
{
    Lobe diffuse = diffuse_lobe(f, surface.base, surface.base_color, surface.diffuse_roughness);
    Lobe scattered = subsurface_lobe(f, 1.0, surface.subsurface_color, vec3(1.0, 0.5, 0.3));
    Lobe opaque = mixed(diffuse, scattered, surface.subsurface);
    Lobe through = transmission_lobe(f, 1.0, surface.transmission_color, surface.specular_ior, surface.specular_roughness);
    Lobe substrate = mixed(opaque, through, surface.transmission);
    Lobe glossy = layered(dielectric_lobe(f, surface.specular, surface.specular_color, surface.specular_ior, surface.specular_roughness), substrate);
    Lobe metal = conductor_lobe(f, surface.specular, surface.base_color * surface.base, surface.metal_edge, surface.specular_roughness);
    Lobe body = mixed(glossy, metal, surface.metalness);
    float internal = 1.0 - (1.0 - fresnel_dielectric(f.n_v, surface.coat_ior)) / (surface.coat_ior * surface.coat_ior);
    vec3 darkening = (1.0 - internal) / (1.0 - surface.base_color * internal);
    body.response *= mix(vec3(1.0), surface.coat_color * darkening, surface.coat);
    Lobe coated = layered(dielectric_lobe(f, surface.coat, vec3(1.0), surface.coat_ior, surface.coat_roughness), body);
    return layered(sheen_lobe(f, surface.sheen, surface.sheen_color, surface.sheen_roughness), coated);
}
