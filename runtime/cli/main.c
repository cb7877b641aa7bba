/* wavepgo: the command. The table of commands and dispatch only; each subcommand is a file of its own. */
#include <string.h>

#include "runtime/cli/common/command.h"
#include "runtime/cli/help/help.h"

static const wpg_command commands[] = {
    {"run", "[--generate] [--use PROFILE | --tune BUNDLE] [OPTIONS] -- PROGRAM [ARGS...]",
     "run a Vulkan program under the layer",
     "  --generate            count: one .profraw a pipeline (default folder: PROGRAM.wavepgo/)\n"
     "  --use PROFILE         apply a profile: a merged file, a .profraw, or a folder of them;\n"
     "                        with --generate: to what is not counted (sampling by bind, a part of a run)\n"
     "  --tune BUNDLE         time what the profile suggests against the original, in place, and write what "
     "is\n"
     "                        faster on this device into the bundle; --use BUNDLE then applies exactly "
     "that,\n"
     "                        and what is safe by rule to pipelines that have no verdict\n"
     "  --profile-file PAT    where generate writes: %b pipeline hash, %p pid, %e executable, %h host,\n"
     "                        %t TMPDIR, %m merge pool, %% a percent sign\n"
     "  --compare PROFILE     the same as 'wavepgo compare --profile PROFILE'\n"
     "  --print-environment   print the variables as shell assignments instead of running\n"
     "Every setting of the layer is an option too, by group:\n",
     wpg_command_run},
    {"compare", "--profile PROFILE-or-bundle [OPTIONS] -- PROGRAM [ARGS...]",
     "measure what use mode buys a program: runs with the profile and without, by turns",
     "  --profile PROFILE     what the runs with use mode apply: a file, a folder of profiles, or a bundle\n"
     "  --rounds N            so many runs of each (default 6, from which on intervals hold with 95 %)\n"
     "  --duration S          stop the program after S seconds, and compare frames (default: it ends by "
     "itself)\n"
     "  -o RESULT.json        write the result there, too\n"
     "  --json, --csv         print the result in that form\n"
     "  --bare                off runs without the layer, no timestamps: wall and processor time alone\n"
     "  --output              let the program's output through, to standard error\n"
     "Every setting of the layer is an option, too, as for run: it holds for both sides.\n"
     "Off runs are under the layer as well, which then only times the program's own pipelines. A run of each "
     "side\n"
     "goes first and is not measured; then rounds are off-use and use-off by turns. Compared are wall and "
     "processor\n"
     "time of whole runs (children included), times between presents, and the GPU time of each pipeline by\n"
     "timestamps. The result is kept with the profile (compare.json in a bundle, else PROFILE.compare.json): "
     "'wavepgo\n"
     "run --use' says it. Interrupted, it keeps the rounds that were measured.\n"
     "Exit code: 0 compared, 1 failed; how the program failed is said.\n",
     wpg_command_compare},
    {"merge", "-o OUT [OPTIONS] [--weighted N,FILE] [-f LIST] FILE-or-folder...", "merge profiles into one",
     "  -o OUT                file to write; - for standard output; a name that ends in .bundle, .wavepgo or "
     "/ is a\n"
     "                        bundle: profiles, shaders and facts of all bundles given, merged\n"
     "  --format indexed|bundle|text|raw8|raw9|raw10|raw11|cspgo-text\n"
     "                        indexed (default): version 7, read by llvm-profdata 14 to 22; cspgo-text: a\n"
     "                        context-sensitive sample profile, for llvm-profdata merge --sample\n"
     "  --count waves|lanes   cspgo-text: what is written (default: waves, lanes where waves are absent)\n"
     "  --shaders DIR         cspgo-text: a bundle, or a folder of <shader hash>.spv (--dump), that has the\n"
     "                        shaders; repeatable; input folders are looked in too\n"
     "  --weighted N,FILE     counts of FILE weigh N times\n"
     "  -f, --input-files LIST\n"
     "                        a file that names inputs, a line each: FILE or N,FILE; # begins a comment; - "
     "is\n"
     "                        standard input; @LIST is the same\n"
     "  --resume              keep OUT.partial while it lasts: after a kill the same command goes on there\n"
     "  --checkpoint SECONDS  with --resume: how often OUT.partial is written (default 10)\n"
     "  --program GLOB, --application GLOB, --device GLOB, --driver GLOB\n"
     "                        only profiles that these made ('wavepgo show' tells who made one)\n"
     "  --wavepgo GLOB        only profiles of these versions of wavepgo\n"
     "  --keep-going          leave out files that cannot be read, instead of failing\n"
     "  --allow-empty         with --format text: no counts give an empty profile, instead of failing\n"
     "  --quiet               no progress line\n"
     "Folders are searched for *.profraw, *.profdata and *.proftext. Patterns (*, ?) that the shell\n"
     "left are expanded.\n"
     "Of a bundle a profile carries the counts and the values of push constants; shaders, times and "
     "verdicts\n"
     "stay in the bundle.\n"
     "- is standard input; /dev/fd/N, a shell's <(command), is read to its end.\n"
     "One input is held at a time. Order and grouping make no difference: parts merged with --format text "
     "add\n"
     "up to the same bytes.\n",
     wpg_command_merge},
    {"show", "[OPTIONS] FILE-or-folder [NAME] | --use-log FILE [--bundle BUNDLE]",
     "print what a profile says, dearest first",
     "  NAME                  one shader or pipeline: any unique part of its name or hash; its\n"
     "                        blocks, branches, loops, values\n"
     "  --json                everything, as one JSON document\n"
     "  --csv                 a row a pipeline's stage; with --blocks a row a block\n"
     "  --top N               at most N pipelines, shaders and blocks (default 20; 0 = all)\n"
     "  --blocks              blocks of every listed shader too, with their places in the source\n"
     "  --values              value sites: waves that agreed, ranges, the commonest values\n"
     "  --full                whole hashes instead of the first 8 digits\n"
     "  --use-log FILE        what use mode did and refused, and why (WAVEPGO_USE_LOG of a use run)\n"
     "  --bundle BUNDLE       with --use-log: names of shaders, places of blocks\n"
     "  --color WHEN          auto (default), always, never; NO_COLOR is honoured\n"
     "  --no-pager            no pager on a terminal (PAGER, else less)\n"
     "COST: share of the GPU time where all pipelines were timed, else of the work: instructions times "
     "waves.\n"
     "WAVES: how often a wave ran. LANES: live lanes. UNIFORM: share of the waves that arrived whole.\n"
     "- is standard input; /dev/fd/N, a shell's <(command), is read to its end.\n",
     wpg_command_show},
    {"report", "-o OUT.html [OPTIONS] BUNDLE-or-profile [MODULE-folder...]",
     "one HTML page: pipelines by cost, source with counts, control flow, advice",
     "  -o OUT.html           the page to write; - is standard output. It needs no network\n"
     "  --json                the same as one JSON document, version 1\n"
     "  --no-use-mode         do not ask what use mode would do with each shader (2 seconds at most)\n"
     "  --skip-passes LETTERS leave passes of use mode out, as the setting SKIP_PASSES\n"
     "  --estimate FILE       show registers and occupancy: what 'wavepgo estimate --json' printed\n"
     "  --compare FILE        show the gain: what 'wavepgo compare --json' printed (default: what compare\n"
     "                        left with the profile, if it was run)\n"
     "A bundle has the shaders. For a profile name bundles or folders of <shader hash>.spv behind it.\n"
     "Source lines need debug information in the shaders (glslang -g or -gVS, dxc -fspv-debug=line).\n"
     "Cost is GPU time if every pipeline that ran was timed (TIMESTAMPS=1), else work.\n",
     wpg_command_report},
    {"advise", "[--top N] [--json] [-o FILE] [--no-use-mode] BUNDLE-or-profile [MODULE-folder...]",
     "what the author of the shaders could change, best first",
     "  --top N               at most N pieces (default 20; 0 = all)\n"
     "  --only NAME           of one shader or pipeline: any unique part of its name or hash\n"
     "  -o FILE               write to a file instead of standard output\n"
     "  --json                the report as one JSON document; its key \"advice\" has the list\n"
     "  --no-use-mode         by counts alone: do not ask what use mode would do\n"
     "  --skip-passes LETTERS leave passes of use mode out, as the setting SKIP_PASSES\n"
     "Each piece has the counts behind it and, where these tell, the share of work that would go.\n"
     "Predictions count SPIR-V instructions and waves. They are no times.\n",
     wpg_command_advise},
    {"top", "[--once] [--interval S] BUNDLE-or-folder", "what the GPU runs now, of a run that is counting",
     "  --once                print one table, of all since the run began, and end\n"
     "  --interval S          look for new counts every S seconds (default 1)\n"
     "Reads what 'wavepgo run --generate' writes while the program runs: at half of --flush-interval (2 is a "
     "good\n"
     "choice). Columns: share of the GPU time where all pipelines are timed (--timestamps), else of work "
     "(instructions\n"
     "times waves); draws and dispatches a second; live lanes a wave; waves that ran their blocks whole. "
     "Keys: q "
     "quits,\n"
     "any other looks at once.\n",
     wpg_command_top},
    {"export", "--format FORMAT [-o OUT] [OPTIONS] BUNDLE-or-profile...",
     "coverage, flame graphs and profiles for other programs to read",
     "  --format lcov         line coverage of the shaders, for genhtml\n"
     "  --format callgrind    counts by source line, for kcachegrind and callgrind_annotate\n"
     "  --format speedscope|chrome-trace|folded\n"
     "                        cost by pipeline and by source line: GPU time if every pipeline that ran was\n"
     "                        timed (TIMESTAMPS=1), else work; folded is for flamegraph.pl\n"
     "  --format indexed|text|raw8|raw9|raw10|raw11|cspgo-text\n"
     "                        a profile, as merge writes it\n"
     "  -o OUT                file to write; default and -: standard output\n"
     "  --count lanes|waves   lcov: what a line's count is (default: lanes); cspgo-text: what is written\n"
     "  --sources DIR         lcov, callgrind: write the sources that the shaders carry into DIR, and name\n"
     "                        them there, so that genhtml finds them\n"
     "  --shaders DIR         a bundle, or a folder of <shader hash>.spv, that has the shaders; repeatable\n"
     "  --quiet               say nothing about shaders that are left out\n"
     "Several inputs are added up. Lines need debug information in the shaders (glslang -g or -gVS, dxc\n"
     "-fspv-debug=line) and the shaders themselves, which a bundle has.\n"
     "Exit code: 1 also if lcov finds no line at all.\n",
     wpg_command_export},
    {"annotate", "[OPTIONS] BUNDLE-or-profile [NAME]", "a shader's source with counts beside the lines",
     "  NAME                  any unique part of the name or hash of a shader, or of a pipeline: its\n"
     "                        dearest shader (default: the hottest)\n"
     "  --context N           only lines within N of hot ones: a tenth of the hottest line or more; all: "
     "the\n"
     "                        whole file (default: all of a file of up to 300 lines, else 5)\n"
     "  --shaders DIR         a bundle, or a folder of <shader hash>.spv (--dump), that has the shaders of "
     "a\n"
     "                        profile; repeatable\n"
     "  --spirv               SPIR-V by block where the module has no source, no GLSL\n"
     "  --json                one JSON document\n"
     "  --csv                 lines with code, or blocks, as CSV\n"
     "  --color WHEN          auto (default), always, never; NO_COLOR is honoured\n"
     "  --no-pager            no pager on a terminal (PAGER, else less)\n"
     "WAVES: how often a wave ran the line. LANES: live lanes there. UNIFORM: share of the waves that "
     "arrived\n"
     "whole. A line has the counts of its most frequent block; copies that inlining made are added up. "
     "Lines\n"
     "without code have no counts. Without source in the module: GLSL by SPIRV-Cross where that is "
     "installed,\n"
     "with the counts of each line's block; else SPIR-V by block.\n",
     wpg_command_annotate},
    {"diff", "[OPTIONS] A B", "what changed between two profiles of a program",
     "  --threshold P         changes below P percent (of counts), or P points (of shares), are none "
     "(default: 1)\n"
     "  --raw                 lanes and waves at entry, too, as they are\n"
     "  --use-logs A B        two use logs: decisions of use mode that differ\n"
     "  --top N               at most N shaders (default 20; 0 = all)\n"
     "  --json                one JSON document\n"
     "  --csv                 a row a change\n"
     "  --color WHEN          auto (default), always, never; NO_COLOR is honoured\n"
     "  --no-pager            no pager on a terminal (PAGER, else less)\n"
     "The gravest first: the share of the work that a change touches, times how far it went. A longer run is "
     "no\n"
     "change: costs are shares, counts are divided by the shader's lanes at entry. Shaders are matched by "
     "hash,\n"
     "then by name: changed code. Blocks, branches and loops are compared where control flow is the same.\n"
     "COST: share of all work, instructions times waves. RANK: place by cost.\n",
     wpg_command_diff},
    {"overlap", "[OPTIONS] A B", "how alike two profiles are, as llvm-profdata overlap scores it",
     "  --top N               at most N shader functions (default 20; 0 = all)\n"
     "  --json                one JSON document\n"
     "  --csv                 a row a shader function\n"
     "  --color WHEN          auto (default), always, never; NO_COLOR is honoured\n"
     "  --no-pager            no pager on a terminal (PAGER, else less)\n"
     "The overlap is the sum over all counters of the lesser of both shares of their profile's sum: 100% is "
     "the\n"
     "same distribution. By shader: the same over the function's blocks, of lanes, waves and uniform "
     "waves.\n",
     wpg_command_overlap},
    {"instrument", "IN.spv -o OUT.spv [OPTIONS]", "rewrite one module as the layer would",
     "  --entry NAME          entry point (default: the only one, else main)\n"
     "  --stage STAGE         vert, tesc, tese, geom, frag, comp, ... (default: the entry point's)\n"
     "  --spec ID=VALUE       specialisation value (32-bit; repeatable)\n"
     "  --normalize-only      stop after the CFG tier\n"
     "  --use PROFILE         optimise by a profile instead of counting\n"
     "  --no-subgroups        as for a driver without subgroup operations in that stage\n"
     "  --no-int64-atomics    as for a driver without 64-bit buffer atomics\n"
     "  --lane-loops          as for a driver that loops over the lanes of a wave (lavapipe 25)\n"
     "  --wave-size N         as for a driver whose waves have N lanes (default: up to 128; 32 are full)\n"
     "  --validate            run the validator on the result\n"
     "  --all-selects         count selects that no pass can use, too\n"
     "  --no-selects          do not count selects\n"
     "  --strategy NAME       how to count: auto, derived, additive, naive, slots, lane\n"
     "  --probes LIST         what to count besides blocks, as the setting PROBES\n"
     "  --sample 1/N          count 1 of N workgroups, tiles or vertex groups\n"
     "  --pseudo-probes       leave a mark in every block that names it and costs nothing; no counters\n"
     "  --list-probes         print the marks of IN.spv: which block each was, and where it is now\n"
     "  --hash                print the shader hash, stage and entry point\n"
     "  --map                 print where each block's counters are\n",
     wpg_command_instrument},
    {"verify", "[--json] [--against OTHER] PROFILE-or-bundle [MODULE.spv or folder...]",
     "check that the counts of a profile are possible",
     "  --json                everything, as one JSON document\n"
     "  --against OTHER       how far the counts are from those of OTHER, block by block, per shader and\n"
     "                        over all that both have: block overlap and weighted relative difference\n"
     "Checks each function against its module (a bundle has them; else give .spv files, or folders of\n"
     "<shader hash>.spv): checksums; lanes conserve flow; waves of a branch lie between the larger of its "
     "arms and\n"
     "their sum; blocks that always run together agree; what probes counted fits the blocks.\n"
     "Exit code: 0 all of it holds, 1 something is broken: which shader, which block, which numbers.\n",
     wpg_command_verify},
    {"estimate", "--bundle BUNDLE | --profile FILE [OPTIONS] [MODULE.spv or folder | HASH]...",
     "compare the driver's compile statistics of pipelines: original, use mode, without dead blocks",
     "  --bundle BUNDLE       the profile, and the shaders in it\n"
     "  --profile FILE        a profile without shaders: modules are files or folders of <shader hash>.spv\n"
     "  --driver ICD.json     the driver whose compiler is asked (default: those that the loader finds)\n"
     "  --json                everything, as one JSON document\n"
     "  --skip-passes LETTERS  passes that USE leaves out, as the setting SKIP_PASSES\n"
     "  --and-passes LETTERS  passes that USE has beyond the rule: p (push constants by the usual values "
     "that "
     "the\n"
     "                        bundle knows), r (region scalarisation), w (waves of 32 where waves are half "
     "empty)\n"
     "  --float CHOICE        what USE takes known floats for, as the setting FLOAT\n"
     "  --version-alone       USE of a stage with versions is the first version alone, without test and "
     "other "
     "body\n"
     "  --repeat N            N times each: compile time of each form and our own time to rewrite (medians "
     "of\n"
     "                        processor time)\n"
     "  --no-what-if          without WHAT-IF\n"
     "  --changed             only pipelines that USE changes; without WHAT-IF\n"
     "  HASH                  only these pipelines, or those with these shaders (4 digits at least; default: "
     "all)\n"
     "Compiles each pipeline through VK_KHR_pipeline_executable_properties: nothing is run, and RADV does it "
     "without\n"
     "hardware (RADV_FORCE_FAMILY=navi21). USE is what use mode makes by rule, without wave sizes, "
     "variants and\n"
     "verdicts. WHAT-IF is without the blocks that the profile never saw executed: what these cost in "
     "registers,\n"
     "occupancy and code. It is right for the profiled input alone, and never shipped. State around the "
     "shaders is made\n"
     "up; pipelines that need more than shaders say are named, with the reason.\n"
     "Exit code: 0 something was compared, 1 nothing could be, 3 no driver here reports its compiler's\n"
     "statistics (lavapipe does not).\n",
     wpg_command_estimate},
    {"isa", "SHADER.spv [--gpu GPU] [--profile PROFILE] [OPTIONS]",
     "a compute shader's AMD machine code, with the counts of its blocks",
     "  --gpu GPU             gfx1100, gfx90a, ... (default: the AMD GPU that is here)\n"
     "  --wave 32|64          lanes of a wave (default: the GPU's own)\n"
     "  --abi hsa|pal         amdhsa: a kernel that HIP and ROCr load, descriptors as pointers; amdpal: with "
     "the\n"
     "                        pipeline metadata of AMD's Vulkan driver (default: hsa)\n"
     "  --profile PROFILE     counts to set beside the instructions, and to compile by\n"
     "  --generate            the kernel that counts waves, lanes and uniform executions of its own blocks\n"
     "  --count LIST          of these, by commas (default: waves,lanes,uniform; waves are always counted)\n"
     "  --placement WHERE     wave: registers of the wave (default); lane, lane-memory: each lane for itself "
     "before\n"
     "                        control flow is structurised, lanes only, to compare\n"
     "  --counters FILE       the array that such a kernel left, to a profile: -o OUT.profraw\n"
     "  --driver radv|ICD.json  what RADV's compiler makes of it, too; no hardware is needed\n"
     "  --entry NAME          entry point (default: the only one)\n"
     "  --spec ID=VALUE       specialisation value (32-bit; repeatable)\n"
     "  -o OUT.elf            write the code object, linked for HIP and ROCr to load (amdhsa: by ld.lld), or "
     "as\n"
     "                        AMD's Vulkan drivers take it (amdpal); - is standard output, without the "
     "listing\n"
     "  --relocatable         -o writes the object as LLVM emits it: no linker, line numbers are blocks\n"
     "  --linker PROGRAM      LLVM's linker (default: ld.lld-22, else ld.lld)\n"
     "  --code-object-version 5|6   for amdhsa (default: 5, which older ROCms load, too)\n"
     "  --html FILE           the listing as a page\n"
     "  --verify              what was checked of the profile: which of LLVM's passes lose weights, whether "
     "the "
     "counts are\n"
     "                        possible, how near the weights' block frequencies are to them\n"
     "  --contract            a * b + c may become one operation, rounded once, where the module allows, as "
     "AMD's "
     "drivers\n"
     "                        make it (default: every operation rounds for itself)\n"
     "  --ir                  LLVM's intermediate code, structurised, too\n"
     "  --json                everything, as one JSON document\n"
     "SPIR-V goes through LLVM 22: the same normal form that is counted, O2, structurised control flow, "
     "AMDGPU.\n"
     "Nothing is run, and no AMD hardware is needed. Counts are those of the block of the normal form that "
     "an\n"
     "instruction comes from; what LLVM merged or hoisted has none.\n",
     wpg_command_isa},
    {"doctor", "[--json] [-- PROGRAM]", "find out why the layer does not work, or that it does",
     "  --json                everything, as one JSON document\n"
     "  PROGRAM               look at this program, too; it is not run\n"
     "Looks for the layer where the loader would, makes an instance and every device under it, and tells "
     "what "
     "is\n"
     "counted where, in which order layers are, and where files go: problems first, with what to do.\n"
     "Exit code: 0 nothing is in the way, 1 something is.\n",
     wpg_command_doctor},
    {"gpu", "[--json]", "list the AMD GPUs here, their LLVM targets and clocks",
     "  --json                everything, as one JSON document\n"
     "Reads libdrm_amdgpu; no other command needs that library.\n"
     "Exit code: 0, also without an AMD GPU; 1 a GPU is here and could not be read.\n",
     wpg_command_gpu},
    {"install", "--user | --system [--prefix DIR]", "put the layer where every Vulkan program finds it",
     "  --user                for this user: $XDG_DATA_HOME or ~/.local/share\n"
     "  --system              for all users: /usr/local (needs its rights)\n"
     "  --prefix DIR          --system: DIR instead of /usr/local\n"
     "The layer is then there and does nothing until WAVEPGO_ENABLE=1. A file that something else put there "
     "is "
     "not\n"
     "replaced. Installing again replaces what an earlier version wrote.\n",
     wpg_command_install},
    {"uninstall", "--user | --system [--prefix DIR]", "remove what install wrote, and nothing else",
     "  --user, --system, --prefix DIR     as for install\n", wpg_command_uninstall},
    {"clean", "[--dry-run] [--cache] [--denied] [--folder DIR]",
     "remove what the layer keeps beside profiles",
     "  --dry-run             only tell what would be removed\n"
     "  --cache               the cache of rewritten modules\n"
     "  --denied              the deny list: pipelines that pass through since a device was lost\n"
     "                        or a driver crashed, or of which less is counted since they\n"
     "                        compiled for long\n"
     "                        (default: both)\n"
     "  --folder DIR          the cache folder, if not that of WAVEPGO_CACHE or the default\n",
     wpg_command_clean},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };
static const wpg_command_table table = {commands, COMMAND_COUNT};

int main(int argc, char **argv)
{
    wpg_escape_terminal();
    if (argc < 2) {
        wpg_print_overview(stderr, &table);
        return WPG_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        wpg_print_overview(stdout, &table);
        return 0;
    }
    if (strcmp(argv[1], "help") == 0)
        return wpg_command_help(&table, argc - 1, argv + 1);
    if (strcmp(argv[1], "version") == 0 || strcmp(argv[1], "--version") == 0) {
        (void)printf("wavepgo %s\n", WPG_VERSION);
        return 0;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        for (int at = 2; at < argc && strcmp(argv[at], "--") != 0; at++) {
            if (strcmp(argv[at], "--help=markdown") == 0) {
                wpg_print_setting_tables(stdout);
                return 0;
            }
            if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) {
                wpg_print_usage(stdout, &commands[i]);
                return 0;
            }
        }
        return commands[i].run(argc - 1, argv + 1);
    }
    return wpg_usage_error(NULL, "no command is called '%s'", argv[1]);
}
