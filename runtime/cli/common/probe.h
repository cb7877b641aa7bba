/* The probe of `wavepgo doctor`. A child process opens the loader, makes an instance and every device under
 * the layer, and writes facts to a file. The Vulkan library is opened at run time, and only there: this
 * command runs without Vulkan, and a driver that crashes ends the child alone.
 *
 *     FOLDER/facts    one line a fact, fields parted by tabs, written as they come:
 *         at STEP | loader PATH VERSION | absent WHY | instance RESULT | mapped LIBRARY
 *         device NAME VERSION RESULT LOG-FROM LOG-TO     (byte offsets into the layer's log)
 *     FOLDER/noise    what loader and drivers print
 *     FOLDER/log      what the layer logs */
#ifndef WPG_RUNTIME_CLI_COMMON_PROBE_H
#define WPG_RUNTIME_CLI_COMMON_PROBE_H

/* Runs in the child, after fork; returns its exit code. The environment is set up by the caller. */
int wpg_probe_run(const char *folder);

#endif
