"""The documentation as a site of plain files, built by .ci/site with Sphinx and MyST."""

import html
import json
import os
import pathlib

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = pathlib.Path(os.environ["SITE_PACKAGES"])  # of npm, unpacked by .ci/site
APIS = {"public-api": "openapi.json", "internal-api": "internal-openapi.json"}

project = html_title = "Transcript Egress Service"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "deploy/dependencies.md", "formats/README.md"]
exclude_patterns = ["target", "**/target", "data"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 6
myst_fence_as_directive = ["mermaid"]
suppress_warnings = ["misc.highlighting_failure"]  # examples may be shortened with "..."

html_theme = "furo"
html_copy_source = False
html_use_index = False
html_static_path = [str(PACKAGES / "mermaid/dist/mermaid.tiny.js")]
templates_path = ["templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/apis.html",
        "sidebar/scroll-end.html",
    ]
}

# A page that is in none of these fails the build.
NAVIGATION = {
    "README": {
        "Use it": ["docs/consuming", "docs/receiving", "docs/connectors/README", "docs/comparison"],
        "Run it": [
            "docs/first-day",
            "docs/operating",
            "docs/integrating",
            "docs/deliveries",
            "docs/glossary",
            "docs/compose",
            "docs/kubernetes",
            "docs/systemd",
            "docs/upgrading",
            "docs/metrics",
            "docs/runbook",
            "docs/tracing",
            "docs/disaster-recovery",
            "docs/scaling",
        ],
        "What it promises": [
            "docs/reliability",
            "docs/performance",
            "docs/privacy",
            "docs/security",
            "docs/evidence/1.0.0",
        ],
        "How it is made": [
            "ARCHITECTURE",
            "docs/decisions/README",
            "CONTRIBUTING",
            "docs/releasing",
            "formats/README",
            "deploy/dependencies",
            "SECURITY",
            "CHANGELOG",
        ],
    },
    "docs/decisions/README": {"Decisions": ["0*"]},
}

# The policy keeps the page from loading anything: Redoc would load its logo.
API_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data:; font-src data:; worker-src blob:">
<title>{title}</title>
<style>body {{ margin: 0 }} .back {{ font: 1rem sans-serif; margin: 0.5rem 1.5rem }} img[src^="https:"] {{ display: none }}</style>
</head>
<body>
<p class="back"><a href="index.html">Documentation</a></p>
<div id="api"></div>
<script>{redoc}</script>
<script>Redoc.init({description}, {{hideDownloadButton: true, nativeScrollbars: true}}, document.getElementById("api"))</script>
</body>
</html>
"""


class Mermaid(SphinxDirective):
    has_content = True

    def run(self):
        diagram = "\n".join(self.content)
        return [nodes.raw("", f'<pre class="mermaid">{html.escape(diagram)}</pre>', format="html")]


def add_navigation(app, docname, source):
    for caption, pages in NAVIGATION.get(docname, {}).items():
        entries = "\n".join(page if "*" in page else "/" + page for page in pages)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n{entries}\n```\n"


def add_mermaid(app, pagename, templatename, context, doctree):
    if doctree and any('class="mermaid"' in raw.astext() for raw in doctree.findall(nodes.raw)):
        app.add_js_file("mermaid.tiny.js")


def write_apis(app, failure):
    """Each with its script and its description in it, so that it opens without a server, too."""
    if failure:
        return
    redoc = (PACKAGES / "redoc/bundles/redoc.standalone.js").read_text()
    script = redoc.replace("</script", "<\\/script")
    out = pathlib.Path(app.outdir)
    for name, file in APIS.items():
        text = (ROOT / "api/src/main/resources/io/egress/api" / file).read_text()
        description = json.dumps(json.loads(text)).replace("</", "<\\/")
        title = html.escape(json.loads(text)["info"]["title"])
        page = API_PAGE.format(title=title, redoc=script, description=description)
        (out / f"{name}.html").write_text(page)
    (out / "index.html").write_bytes((out / "README.html").read_bytes())


def setup(app):
    app.add_directive("mermaid", Mermaid)
    app.connect("source-read", add_navigation)
    app.connect("html-page-context", add_mermaid)
    app.connect("build-finished", write_apis)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
