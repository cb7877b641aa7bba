/* The version of the CFG tier's output (compiler/normalize). It stands here because instrument and optimize
 * fold the version into CFG checksums, and may include analysis but not normalize. */
#ifndef WPG_COMPILER_ANALYSIS_NORMAL_FORM_H
#define WPG_COMPILER_ANALYSIS_NORMAL_FORM_H

/* Raise this with any change of the CFG tier that changes the control flow of its output for any input. */
enum { WPG_NORMAL_FORM_VERSION = 2 };

#endif
