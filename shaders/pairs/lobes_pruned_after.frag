// Autodesk/maya-usd pull request 4016, "Lobe pruning shader optimization" (OpenUSD 3525; wished for in MaterialX 2680).
// After: the graph was cut before the shader was generated. A mix by 0 forwards its background, a lobe of weight 0 is gone.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "surface.glsl"

Lobe shade(Frame f)
{
    Lobe diffuse = diffuse_lobe(f, surface.base, surface.base_color, surface.diffuse_roughness);
    return layered(dielectric_lobe(f, surface.specular, surface.specular_color, surface.specular_ior, surface.specular_roughness), diffuse);
}
