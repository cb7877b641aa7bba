#!/bin/sh
# The family blender: images of EEVEE and Workbench, OpenGL over Zink (README.md).
#
#     sh shaders/real/blender.sh fetch | list | run SCENE,SCENE... SECONDS
#
# Debian's blender, on a display of Xvfb. Exit code 77: something is missing; it says what.
set -eu
name=blender
. "$(dirname "$0")/frames.sh"
# scenes.py SCENE,SCENE... SECONDS OUTPUT, in Blender's own language: OUTPUT gets the items' lines.
scenes_py() {
    cat <<'PY'
import hashlib
import os
import sys
import tempfile
import time
import traceback

import bmesh
import bpy


def reset():
    for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.materials, bpy.data.lights, bpy.data.cameras):
        for one in list(kind):
            kind.remove(one)
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = 320, 240
    scene.render.resolution_percentage = 100
    scene.render.engine = 'BLENDER_EEVEE'
    scene.eevee.taa_render_samples = 2
    camera = bpy.data.objects.new('camera', bpy.data.cameras.new('camera'))
    camera.location, camera.rotation_euler = (0, -6, 2.5), (1.2, 0, 0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    for kind, place in (('POINT', (2, -3, 4)), ('SUN', (-2, -2, 5)), ('AREA', (-3, -3, 3))):
        light = bpy.data.lights.new(kind, kind)
        light.energy = 3 if kind == 'SUN' else 300
        lamp = bpy.data.objects.new(kind, light)
        lamp.location = place
        scene.collection.objects.link(lamp)
    scene.eevee.use_gtao = scene.eevee.use_bloom = scene.eevee.use_ssr = False
    return scene


def add(fill, place, material):
    mesh = bpy.data.meshes.new('mesh')
    shape = bmesh.new()
    fill(shape)
    shape.to_mesh(mesh)
    shape.free()
    mesh.materials.append(material)
    thing = bpy.data.objects.new('thing', mesh)
    thing.location = place
    bpy.context.scene.collection.objects.link(thing)


def objects(material):
    for i, place in enumerate(((-1.6, 0, 0.5), (0, 0, 0.5), (1.6, 0, 0.5))):
        add(lambda shape: bmesh.ops.create_uvsphere(shape, u_segments=24, v_segments=16, radius=0.8), place, material(i))
    add(lambda shape: bmesh.ops.create_grid(shape, x_segments=1, y_segments=1, size=6), (0, 0, -0.5), material(3))


def principled(**inputs):
    def make(i):
        material = bpy.data.materials.new('m')
        material.use_nodes = True
        shader = material.node_tree.nodes['Principled BSDF']
        shader.inputs['Base Color'].default_value = ((0.8, 0.2, 0.1, 1), (0.1, 0.8, 0.2, 1), (0.2, 0.3, 0.8, 1), (0.5, 0.5, 0.5, 1))[i]
        for name, value in inputs.items():
            shader.inputs[name.replace('_', ' ')].default_value = value
        return material
    return make


def textured(kind):
    def make(i):
        material = principled(Roughness=0.4)(i)
        tree = material.node_tree
        texture = tree.nodes.new(kind)
        texture.inputs['Scale'].default_value = 4 + i
        tree.links.new(texture.outputs[0], tree.nodes['Principled BSDF'].inputs['Base Color'])
        return material
    return make


def workbench(scene):
    scene.render.engine = 'BLENDER_WORKBENCH'
    scene.display.shading.light = 'STUDIO'
    scene.display.shading.show_cavity = True
    scene.display.shading.show_shadows = True


def effects(scene):
    scene.eevee.use_gtao = scene.eevee.use_bloom = scene.eevee.use_ssr = True


nothing = lambda scene: None
scenes = {
    'plain': (principled(), nothing),
    'metal': (principled(Metallic=1.0, Roughness=0.2), nothing),
    'coat': (principled(Clearcoat=1.0, Sheen=0.5), nothing),
    'glass': (principled(Transmission=1.0, Roughness=0.1), nothing),
    'noise': (textured('ShaderNodeTexNoise'), nothing),
    'voronoi': (textured('ShaderNodeTexVoronoi'), nothing),
    'effects': (principled(Metallic=0.5, Roughness=0.3), effects),
    'workbench': (principled(), workbench),
}


def image(scene, path):
    scene.render.filepath = path
    bpy.ops.render.render(write_still=True)


def run(items, seconds, output):
    path = os.path.join(tempfile.gettempdir(), 'wavepgo-real-%d.bmp' % os.getpid())
    for item in items:
        material, settings = scenes[item]
        scene = reset()
        scene.render.image_settings.file_format = 'BMP'
        objects(material)
        settings(scene)
        image(scene, path)
        with open(path, 'rb') as file:
            digest = hashlib.sha256(file.read()).hexdigest()[:12]
        begin, used, images = time.monotonic(), time.process_time(), 0
        while images == 0 or time.monotonic() - begin < seconds:
            image(scene, path)
            images += 1
        with open(output, 'a') as file:
            print(item, '%.1f' % ((time.process_time() - used) * 1e6 / images), digest, file=file)
    os.unlink(path)


def main():
    items, seconds, output = sys.argv[sys.argv.index('--') + 1:]
    try:
        run(items.split(','), float(seconds), output)
    except Exception:
        traceback.print_exc()
    bpy.ops.wm.quit_blender()


bpy.app.timers.register(main, first_interval=0.1)
PY
}
case ${1:-} in
fetch)
    needs blender blender libgl1-mesa-dri
    needs Xvfb xvfb
    ;;
list) sed -n "s/^    '\([a-z]*\)': (.*/\1/p" "$0" ;;
run)
    scratch
    start_x
    export MESA_LOADER_DRIVER_OVERRIDE=zink LIBGL_ALWAYS_SOFTWARE=1
    scenes_py >"$work/scenes.py"
    timeout -k 5 600 blender --factory-startup --python "$work/scenes.py" -- "$2" "$3" "$work/lines" >"$work/program" 2>&1 || true
    [ -s "$work/lines" ] || { echo "blender: failed: $(tail -n 3 "$work/program")" >&2; exit 1; }
    cat "$work/lines"
    ;;
*)
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
