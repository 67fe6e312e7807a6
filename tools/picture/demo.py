#!/usr/bin/env python3
"""Draws docs/demo.svg: the demo's screen late in the hot phase, and its summary, as they were printed.

usage: tools/picture/demo.py [RECORDING]    from the root of the checkout; takes about a minute

Runs `./dev demo` in a pseudo-terminal, or reads what such a run has printed from a file. Needs nothing but Python 3.
"""
import fcntl
import html
import os
import pty
import re
import struct
import sys
import termios

COLUMNS = 118
REDRAW = re.compile(r"\x1b\[\d+F\x1b\[J")  # the demo goes back to where its panel began
STYLE = re.compile(r"\x1b\[([\d;]*)m")
FILLS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341"}
CHAR_PX, LINE_PX, MARGIN_PX = 7.83, 17, 16


def record():
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execvp("./dev", ["./dev", "demo"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    printed = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # how a pseudo-terminal says that the other side has ended
            break
        if not piece:
            break
        printed += piece
    os.waitpid(pid, 0)
    return printed


def screen_lines(printed):
    frames = REDRAW.split(printed.replace("\r\n", "\n"))
    hot = [f for f in frames if "phase hot" in f]
    panel = hot[len(hot) * 9 // 10].rstrip("\n").split("\n")
    last = frames[-1].split("\n")
    begin = next(i for i, line in enumerate(last) if "ROUTING" in line)
    end = next(i for i in range(begin, len(last)) if not last[i].strip())
    return ["$ ./dev demo", ""] + panel + ["", ""] + last[begin:end]


def svg_line(line, y):
    spans, fill, weight, column = [], "#c9d1d9", "normal", 0
    pieces = STYLE.split(line)
    for i, piece in enumerate(pieces):
        if i % 2 == 1:
            for code in piece.split(";"):
                if code in ("", "0"):
                    fill, weight = "#c9d1d9", "normal"
                elif code == "1":
                    weight = "bold"
                else:
                    fill = FILLS.get(code, fill)
        elif piece:
            x = MARGIN_PX + column * CHAR_PX
            spans.append(f'<tspan x="{x:.1f}" fill="{fill}" font-weight="{weight}" textLength="{len(piece) * CHAR_PX:.1f}"'
                         f' xml:space="preserve">{html.escape(piece)}</tspan>')
            column += len(piece)
    return f'<text y="{y}">{"".join(spans)}</text>' if spans else ""


def svg(lines):
    width = max(len(STYLE.sub("", line)) for line in lines) * CHAR_PX + 2 * MARGIN_PX
    height = len(lines) * LINE_PX + 2 * MARGIN_PX
    rows = [svg_line(line, MARGIN_PX + (i + 0.75) * LINE_PX) for i, line in enumerate(lines)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-family="monospace" '
            f'font-size="13">\n<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n'
            + "\n".join(row for row in rows if row) + "\n</svg>\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with open(sys.argv[1], "rb") as recording:
            output = recording.read()
    else:
        output = record()
    with open("docs/demo.svg", "w", encoding="utf-8") as picture:
        picture.write(svg(screen_lines(output.decode("utf-8", "replace"))))
