# Sourced by tests that look at the report's page in Chromium.

need_browser() { command -v chromium >/dev/null 2>&1 && command -v node >/dev/null 2>&1; }
# look_at PAGE: opens $work/PAGE, uses it, and prints what was seen. PAGES=FOLDER keeps screenshots there.
look_at() {
    timeout 120 node "$WPG_SOURCE/tests/e2e/report_page.cjs" "$work/$1" ${PAGES:+"$PAGES"} 2>"$work/page.err"
}
