// MaterialX pull request 2483, "Optimizations to Standard Surface graph" (the same for OpenPBR: 2459).
// Before: leaf lobes have full weight, and mixes by uniform weights choose among what was computed. The material is a plastic:
// only base and specular count.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "surface.glsl"

Lobe shade(Frame f)
{
    Lobe diffuse = diffuse_lobe(f, 1.0, surface.base_color * surface.base, surface.diffuse_roughness);
    Lobe translucent = translucent_lobe(f, 1.0, surface.subsurface_color);
    Lobe scattered = subsurface_lobe(f, 1.0, surface.subsurface_color, vec3(1.0, 0.5, 0.3));
    Lobe below = mixed(diffuse, mixed(scattered, translucent, surface.thin_walled), surface.subsurface);
    Lobe sheen = layered(sheen_lobe(f, surface.sheen, surface.sheen_color, surface.sheen_roughness), below);
    Lobe through = transmission_lobe(f, 1.0, surface.transmission_color, surface.specular_ior, surface.specular_roughness);
    Lobe inner = mixed(sheen, through, surface.transmission);
    Lobe glossy = layered(dielectric_lobe(f, surface.specular, surface.specular_color, surface.specular_ior, surface.specular_roughness), inner);
    Lobe metal = conductor_lobe(f, 1.0, surface.base_color * surface.base, surface.metal_edge, surface.specular_roughness);
    Lobe body = mixed(glossy, metal, surface.metalness);
    body.response *= mix(vec3(1.0), surface.coat_color, surface.coat);
    return layered(dielectric_lobe(f, surface.coat, vec3(1.0), surface.coat_ior, surface.coat_roughness), body);
}
