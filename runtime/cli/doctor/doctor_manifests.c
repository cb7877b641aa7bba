/* Finds our manifests in the folders where the loader looks for layers. Source: LoaderLayerInterface.md,
 * "Layer Filtering". */
#include "runtime/cli/doctor/doctor.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "runtime/base/vec.h"
#include "runtime/cli/common/elf_look.h"
#include "runtime/cli/common/enable.h"
#include "runtime/cli/common/layer_folders.h"
#include "runtime/cli/common/manifest.h"

typedef struct search {
    wpg_doctor *doctor;
    json_t *found; /* "manifests" */
    const char *kind;
    WPG_VEC(char *) folders; /* looked at already; owned */
} search;

/* -- One manifest */

/* Whose programs a layer of that name is for: this command's own unless it carries another family's name. */
static const char *family_of(const wpg_manifest_layer *layer)
{
    size_t count;
    const wpg_layer_family *families = wpg_layer_families(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(layer->name, families[i].layer) == 0)
            return families[i].cpu;
    return families[0].cpu;
}

static bool is_own_family(const char *cpu)
{
    size_t count;
    return strcmp(cpu, wpg_layer_families(&count)->cpu) == 0;
}

/* "" if the library can be loaded by programs of its CPU family. */
static void judge_library(char *state, size_t size, const wpg_manifest_layer *layer)
{
    wpg_elf elf;
    wpg_error err;
    *state = '\0';
    if (layer->library_is_bare)
        return; /* the dynamic linker's business: the probe tells */
    if (wpg_elf_look(&elf, layer->library, &err) != WPG_OK)
        (void)snprintf(state, size, "%s", err.message);
    else if (!elf.is_elf || !elf.is_library)
        (void)snprintf(state, size, "%s is no shared library", layer->library);
    else if (strcmp(elf.family, family_of(layer)) != 0)
        (void)snprintf(state, size, "%s is for %s programs, not for %s", layer->library, elf.family,
                       family_of(layer));
}

static void add_manifest(search *s, const char *path, const wpg_manifest_layer *layer)
{
    char fault[PATH_MAX + 128], state[PATH_MAX + 256];
    const char *family = family_of(layer);
    bool is_implicit = strcmp(s->kind, "implicit") == 0, own = is_own_family(family);
    bool *usable = is_implicit ? &s->doctor->found_implicit : &s->doctor->found_explicit;
    judge_library(fault, sizeof fault, layer);
    if (*fault)
        (void)snprintf(state, sizeof state, "broken: %s", fault);
    else if (!own)
        (void)snprintf(state, sizeof state, "%s, for %s programs", s->kind, family);
    else
        (void)snprintf(state, sizeof state, "%s%s", s->kind, *usable ? ", hidden by the one before" : "");
    json_t *item = json_object();
    wpg_doctor_set(item, "name", path);
    wpg_doctor_set(item, "state", state);
    wpg_doctor_set(item, "kind", s->kind);
    wpg_doctor_set(item, "layer", layer->name);
    wpg_doctor_set(item, "library", layer->library);
    (void)json_object_set_new(item, "usable", json_boolean(!*fault));
    (void)json_array_append_new(s->found, item);
    if (*fault)
        wpg_doctor_problem(s->doctor, "wavepgo uninstall and wavepgo install, or remove the manifest",
                           "%s: %s", path, fault);
    else if (own)
        *usable = true;
}

static void look_at(search *s, const char *path)
{
    wpg_manifest manifest;
    wpg_error err;
    bool ours = strstr(path, "VkLayer_wavepgo") != NULL;
    if (access(path, R_OK) != 0) {
        if (ours)
            wpg_doctor_problem(s->doctor, "chmod a+r", "%s cannot be read", path);
        return;
    }
    if (wpg_manifest_read(&manifest, path, &err) != WPG_OK) {
        /* Seen with 1.3.239: VK_ERROR_OUT_OF_HOST_MEMORY for every program. */
        if (ours)
            wpg_doctor_problem(s->doctor, "wavepgo uninstall and wavepgo install, or remove it", "%s: %s",
                               path, err.message);
        else if (strncmp(err.message, "no JSON", 7) == 0)
            wpg_doctor_problem(s->doctor, "remove it",
                               "%s: %s: some loaders then refuse every Vulkan program", path, err.message);
        return;
    }
    for (size_t i = 0; i < manifest.count; i++)
        if (wpg_is_own_layer(manifest.layers[i].name) && !manifest.layers[i].other_family)
            add_manifest(s, path, &manifest.layers[i]);
    wpg_manifest_finish(&manifest);
}

/* -- Folders */

static int is_manifest(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

static void look_in(void *context, const char *folder)
{
    search *s = context;
    struct dirent **entries;
    for (size_t i = 0; i < s->folders.count; i++)
        if (strcmp(s->folders.data[i], folder) == 0)
            return;
    char *copy = strdup(folder);
    if (!copy || !wpg_vec_push(&s->folders, copy))
        free(copy);
    int count = scandir(folder, &entries, is_manifest, alphasort);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < PATH_MAX)
            look_at(s, path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* Every folder, or manifest, of a colon-separated list. */
static void look_in_list(search *s, const char *list)
{
    for (const char *at = list; *at;) {
        char path[PATH_MAX];
        int width = (int)strcspn(at, ":");
        if (width && snprintf(path, sizeof path, "%.*s", width, at) < PATH_MAX) {
            if (width > 5 && strcmp(path + width - 5, ".json") == 0)
                look_at(s, path);
            else
                look_in(s, path);
        }
        at += width + (at[width] == ':');
    }
}

static void look_everywhere(search *s, const char *instead, const char *before)
{
    if (*wpg_environment_get(instead)) {
        look_in_list(s, wpg_environment_get(instead));
        return;
    }
    look_in_list(s, wpg_environment_get(before));
    wpg_layer_folders(look_in, s, s->kind);
}

static void finish(search *s)
{
    for (size_t i = 0; i < s->folders.count; i++)
        free(s->folders.data[i]);
    wpg_vec_free(&s->folders);
}

void wpg_doctor_manifests(wpg_doctor *doctor)
{
    char folder[PATH_MAX];
    search s = {.doctor = doctor, .found = json_array(), .kind = "implicit"};
    look_everywhere(&s, "VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH");
    finish(&s);
    s.kind = "explicit";
    look_everywhere(&s, "VK_LAYER_PATH", "VK_ADD_LAYER_PATH");
    /* Where `wavepgo run` tells the loader to look. */
    if (wpg_own_manifest_folder(folder, "explicit"))
        look_in(&s, folder);
    else
        wpg_doctor_problem(doctor, "install the whole of wavepgo: cmake --install, or run it from its build",
                           "the layer that belongs to this command is missing: %s/%s", folder,
                           wpg_own_manifest_name());
    finish(&s);
    (void)json_object_set_new(doctor->root, "manifests", s.found);
    if (!doctor->found_implicit)
        wpg_doctor_note(doctor, NULL,
                        "not installed for every program (wavepgo install): 'wavepgo run' brings the layer");
}

/* -- Enabled? */

/* The loader's filters: comma-separated globs (a * at either end), or ~all~, ~implicit~, ~explicit~. */
static bool filter_matches(const char *list)
{
    for (const char *at = list; *at;) {
        char item[256];
        size_t width = strcspn(at, ",:");
        (void)snprintf(item, sizeof item, "%.*s", (int)width, at);
        if (*item && (fnmatch(item, WPG_LAYER_NAME, FNM_CASEFOLD) == 0 || strcasecmp(item, "~all~") == 0))
            return true;
        at += width + (at[width] != '\0');
    }
    return false;
}

void wpg_doctor_enabled(wpg_doctor *doctor)
{
    json_t *by = json_array();
    const char *enable = wpg_environment_get("WAVEPGO_ENABLE"), *disable = getenv("WAVEPGO_DISABLE");
    const char *off = wpg_environment_get("VK_LOADER_LAYERS_DISABLE");
    size_t count;
    bool is_explicit =
             wpg_list_contains(wpg_environment_get("VK_INSTANCE_LAYERS"), wpg_layer_families(&count)->layer),
         filtered_in = filter_matches(wpg_environment_get("VK_LOADER_LAYERS_ENABLE")),
         is_implicit = strcmp(enable, "1") == 0 && !disable;
    if (is_explicit)
        (void)json_array_append_new(by, json_string("VK_INSTANCE_LAYERS names it"));
    if (filtered_in)
        (void)json_array_append_new(by,
                                    json_string("VK_LOADER_LAYERS_ENABLE matches it (loaders from 1.3.234)"));
    if (is_implicit)
        (void)json_array_append_new(by, json_string("WAVEPGO_ENABLE=1"));
    doctor->by_environment = is_explicit || filtered_in || (is_implicit && doctor->found_implicit);
    if (!json_array_size(by))
        (void)json_array_append_new(
            by, json_string("by 'wavepgo run' (this environment by itself does not enable it)"));
    (void)json_object_set_new(doctor->root, "enabled", by);
    if (is_implicit && !doctor->found_implicit)
        wpg_doctor_problem(doctor, "wavepgo install --user",
                           "WAVEPGO_ENABLE=1 is set, but the layer is not installed");
    if (*enable && strcmp(enable, "1") != 0)
        wpg_doctor_problem(doctor, "WAVEPGO_ENABLE=1", "WAVEPGO_ENABLE is '%s': the loader wants exactly 1",
                           enable);
    if (*enable && disable)
        wpg_doctor_problem(doctor, "unset WAVEPGO_DISABLE",
                           "WAVEPGO_DISABLE is set and wins over WAVEPGO_ENABLE");
    if (filter_matches(off) || wpg_list_contains(off, "~implicit~") || wpg_list_contains(off, "~explicit~"))
        wpg_doctor_problem(doctor,
                           "unset VK_LOADER_LAYERS_DISABLE, or add the layer to VK_LOADER_LAYERS_ALLOW",
                           "VK_LOADER_LAYERS_DISABLE=%s disables the layer", off);
    if (is_explicit && !doctor->found_explicit)
        wpg_doctor_problem(
            doctor, "wavepgo run sets VK_ADD_LAYER_PATH, too",
            "VK_INSTANCE_LAYERS names the layer, but its manifest is nowhere in the loader's paths");
}
