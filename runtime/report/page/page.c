/* The report as one HTML page, without network: style and script (page/), the index, and each shader and file
 * as a piece of JSON that the script reads when it is opened. */
#include "runtime/report/page/assets.h"
#include "runtime/report/page/page.h"
#include "runtime/report/text/figures.h"

void wpg_report_page(FILE *out, const wpg_report *report)
{
    (void)fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
                out);
    wpg_html_text(out, wpg_report_base_name(report->path));
    (void)fputs(" - wavepgo report</title>\n<style>", out);
    (void)fwrite(wpg_page_css, 1, wpg_page_css_size, out);
    (void)fputs("</style></head><body>\n<noscript>This report needs JavaScript. The counts are in "
                "'wavepgo show'.</noscript><div id=\"app\"></div>\n"
                "<script type=\"application/json\" id=\"index\">",
                out);
    wpg_report_json_index(out, report);
    (void)fputs("</script>\n", out);
    for (size_t i = 0; i < report->shader_count; i++) {
        (void)fprintf(out, "<script type=\"application/json\" id=\"s%zu\">", i);
        wpg_report_json_shader(out, &report->shaders[i]);
        (void)fputs("</script>\n", out);
    }
    for (size_t i = 0; i < report->files.count; i++) {
        (void)fprintf(out, "<script type=\"application/json\" id=\"f%zu\">", i);
        wpg_report_json_file(out, &report->files.data[i]);
        (void)fputs("</script>\n", out);
    }
    for (size_t i = 0; i < report->extras.count; i++) {
        (void)fprintf(out, "<script type=\"application/json\" id=\"%s\">", report->extras.data[i].name);
        wpg_report_json_extra(out, &report->extras.data[i]);
        (void)fputs("</script>\n", out);
    }
    (void)fputs("<script>", out);
    (void)fwrite(wpg_page_js, 1, wpg_page_js_size, out);
    (void)fputs("</script></body></html>\n", out);
}
