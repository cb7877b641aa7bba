/* The page's style and script. The build makes the arrays of page.css and page.js (embed.cmake). Constant
 * data. */
#ifndef WPG_RUNTIME_REPORT_PAGE_ASSETS_H
#define WPG_RUNTIME_REPORT_PAGE_ASSETS_H

#include <stddef.h>

extern const unsigned char wpg_page_css[], wpg_page_js[];
extern const size_t wpg_page_css_size, wpg_page_js_size;

#endif
