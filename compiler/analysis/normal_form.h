/* The version of the CFG tier's output (compiler/normalize), in the one place that the folders which fold it
 * into CFG checksums may include: instrument and optimize know analysis, not normalize. */
#ifndef WPG_COMPILER_ANALYSIS_NORMAL_FORM_H
#define WPG_COMPILER_ANALYSIS_NORMAL_FORM_H

/* Raised by any change of the CFG tier that changes its output's control flow for any input. */
enum { WPG_NORMAL_FORM_VERSION = 1 };

#endif
