"""What every page has around its body: a head, the style, and a policy that nothing is fetched from anywhere."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files


def page_shell(language: str, title: str, name: str, body: str) -> str:
    """A whole page; its style is `base.css` with `name.css`, its script `name.js`, if there is one.

    `title` and `body` are HTML.
    """
    style, script, digest = _resources(name)
    # No script runs but the page's own.
    scripts = f"; script-src 'sha256-{digest}'" if script else ""
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        f"style-src 'unsafe-inline'{scripts}\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n"
        f'<link rel="icon" href="data:,">\n<style>\n{style}</style>\n</head>\n<body>\n{body}'
        + (f"<script>{script}</script>\n" if script else "")
        + "</body>\n</html>\n"
    )


@cache
def _resources(name: str) -> tuple[str, str, str]:
    """The style, the script, and the script's hash as a content security policy wants it."""
    folder = files("caveat.render")
    style = "".join(folder.joinpath(f"{part}.css").read_text(encoding="utf-8") for part in ("base", name))
    own = folder.joinpath(f"{name}.js")
    script = own.read_text(encoding="utf-8") if own.is_file() else ""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return style, script, base64.b64encode(digest).decode("ascii")
