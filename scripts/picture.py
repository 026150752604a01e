#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""picture.py: draws a terminal's screen with its colours (tmux capture-pane -p -e) as SVG.
picture.py --text: prints the text of such a drawing. Both read standard input, or FILE."""
import html
import re
import sys

COLUMN, ROW, EDGE = 8.43, 18, 14  # of 14 px monospace
GROUND, INK = "#1b1e26", "#d7dae0"
PAINT = {31: "#f27983", 32: "#8cc98f", 33: "#e5c07b", 36: "#67c7d6", 90: "#7c8394"}


def spans(line, style):
    """(style, text) of a line with SGR sequences; style, [colour, bold], continues from the previous line."""
    colour, bold = style
    for i, part in enumerate(re.split(r"\x1b\[([0-9;]*)m", line)):
        if i % 2 == 0:
            if part:
                yield (colour, bold), part
            continue
        for code in [int(n or 0) for n in part.split(";")]:
            if code == 0:
                colour, bold = INK, False
            elif code == 1:
                bold = True
            elif code == 2:
                colour = PAINT[90]
            elif code == 22:
                bold = False
            elif code == 39:
                colour = INK
            else:
                colour = PAINT.get(code, colour)
    style[:] = colour, bold


def draw(lines):
    width, height = 80 * COLUMN + 2 * EDGE, len(lines) * ROW + 2 * EDGE
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
           f'width="{width:.0f}" height="{height}" '
           'font-family="ui-monospace,DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="14">')
    yield f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>'
    style = [INK, False]
    for row, line in enumerate(lines):
        column, parts = 0, []
        for (colour, bold), text in spans(line, style):
            shown = html.escape(text, quote=False)
            weight = ' font-weight="bold"' if bold else ""
            parts.append(f'<tspan x="{EDGE + column * COLUMN:.2f}" fill="{colour}"{weight}>'
                         f"{shown}</tspan>")
            column += len(text)
        yield f'<text y="{EDGE + row * ROW + 13}" xml:space="preserve">{"".join(parts)}</text>'
    yield "</svg>"


def text_of(drawing):
    for line in re.findall(r"<text [^>]*>(.*?)</text>", drawing):
        yield html.unescape(re.sub(r"<[^>]*>", "", line)).rstrip()


def main():
    names = [a for a in sys.argv[1:] if a != "--text"]
    with (open(names[0], encoding="utf-8") if names else sys.stdin) as f:
        text = f.read()
    lines = text_of(text) if "--text" in sys.argv else draw(text.rstrip("\n").split("\n"))
    print("\n".join(lines))


main()
