#!/usr/bin/env python3
"""Draws the plots of docs/simulating.md: one SVG for each scenario that ships, from the simulator's own JSON.

    python3 tools/plots/scenarios.py build/bin/ringway docs/plots [FILE...]

and puts the figures into the table of docs/simulating.md.

Each scenario of sim/scenarios, or of the files named, runs as its file says, seed included, so the same release draws the same bytes. Three
panels share the time axis: requests per second, how busy the regions are, and what a job costs (offers, p99 of the
latency); where jobs are short a fourth has the mean wait. Faults are shaded. Only the standard library is used.
"""
import json
import math
import pathlib
import re
import subprocess
import sys

WIDTH, LEFT, RIGHT = 720, 52, 120
PANEL, GAP, TOP, BOTTOM = 104, 22, 34, 26
POINTS_MAX = 120
REGIONS_NAMED = 4
SHORT_S = 1  # below it a trip between regions counts beside the job itself, and the waits get a panel

STYLE = """
.back{fill:#fff}.t{font:11px sans-serif;fill:#222}.s{font:10px sans-serif;fill:#666}.h{font:bold 12px sans-serif;fill:#222}
.grid{stroke:#ddd;stroke-width:1}.fault{fill:#e8a33d;opacity:.18}.l{fill:none;stroke-width:1.5}
.a{stroke:#7a8694}.b{stroke:#1f7a4d}.c{stroke:#c0392b}.d{stroke:#2c6fbb}.e{stroke:#8e44ad}.f{stroke:#d07a00}.g{stroke:#bcc4cc;stroke-width:.7}
.fa{fill:#7a8694}.fb{fill:#1f7a4d}.fc{fill:#c0392b}.fd{fill:#2c6fbb}.fe{fill:#8e44ad}.ff{fill:#d07a00}
@media(prefers-color-scheme:dark){.back{fill:#14181d}.t,.h{fill:#e6e8ea}.s{fill:#9aa4ae}.grid{stroke:#2c343c}.g{stroke:#434c55}
.a{stroke:#9aa4ae}.fa{fill:#9aa4ae}.b{stroke:#4fc38a}.fb{fill:#4fc38a}.c{stroke:#ff7b6b}.fc{fill:#ff7b6b}.d{stroke:#6fb0f5}.fd{fill:#6fb0f5}
.e{stroke:#c79be0}.fe{fill:#c79be0}.f{stroke:#f0a848}.ff{fill:#f0a848}}
""".replace("\n", "")


def thinned(values, at_most):
    """Means of neighbours, so that at most so many points are left."""
    step = max(1, math.ceil(len(values) / at_most))
    return [sum(values[i:i + step]) / len(values[i:i + step]) for i in range(0, len(values), step)], step


def nice_top(value):
    """The next round number."""
    if value <= 0:
        return 1
    power = 10 ** math.floor(math.log10(value))
    return next(m * power for m in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if m * power >= value * 0.999)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Plot:
    def __init__(self, report):
        self.report = report
        series = report["series"]
        self.bin_s = series["bin_s"]
        self.span_s = self.bin_s * len(series["submitted_rps"])
        self.parts = []
        self.y = TOP

    def x_of(self, second):
        return LEFT + (WIDTH - LEFT - RIGHT) * second / self.span_s

    def panel(self, title, lines, top=None, percent=False):
        """lines: (name or None, CSS class, values), drawn in order; named ones stand in the legend."""
        top = top or nice_top(max((max(values, default=0) for _, _, values in lines), default=1))
        bottom = self.y + PANEL
        for share in (0, 0.5, 1):
            y = bottom - PANEL * share
            label = f"{100 * top * share:g} %" if percent else f"{top * share:g}"
            self.parts.append(f'<path class="grid" d="M{LEFT} {y:g}H{WIDTH - RIGHT}"/>'
                              f'<text class="s" x="{LEFT - 5}" y="{y + 3:g}" text-anchor="end">{label}</text>')
        for step in self.report["steps"]:
            begin = step["at_s"]
            ends = step["lasts_s"]
            end = min(self.span_s, begin + ends) if isinstance(ends, (int, float)) else self.span_s
            if begin < self.span_s:
                self.parts.append(f'<rect class="fault" x="{self.x_of(begin):.1f}" y="{self.y}" height="{PANEL}" '
                                  f'width="{max(1.5, self.x_of(end) - self.x_of(begin)):.1f}"/>')
        self.parts.append(f'<text class="t" x="{LEFT}" y="{self.y - 5}">{escaped(title)}</text>')
        legend_y = self.y + 9
        for name, kind, values in lines:
            few, step = thinned(values, POINTS_MAX)
            points = []
            for i, value in enumerate(few):
                x = self.x_of(self.bin_s * step * (i + 0.5))
                y = bottom - PANEL * min(1, max(0, value / top))
                points.append(f"{x:.0f} {y:.1f}")
            self.parts.append(f'<path class="l {kind}" d="M{"L".join(points)}"/>')
            if name:
                self.parts.append(f'<text class="t f{kind}" x="{WIDTH - RIGHT + 8}" y="{legend_y}">{escaped(name)}</text>')
                legend_y += 14
        self.y = bottom + GAP

    def svg(self):
        report, series = self.report, self.report["series"]
        self.panel("requests per second", [("submitted", "a", series["submitted_rps"]),
                                           ("served", "b", series["served_rps"]),
                                           ("not served", "c", series["unserved_rps"])])
        self.panel("busy workers, by region", self.regions(), top=1, percent=True)
        self.panel("offers a served job; p99 of the latency, s", [("offers", "e", series["offers_per_served"]),
                                                                  ("p99, s", "f", series["latency_p99_s"])])
        if report["figures"]["latency_p50_s"] < SHORT_S:
            self.panel("mean wait for a worker, trips included, ms",
                       [("wait, ms", "d", [1000 * wait for wait in series["wait_mean_s"]])])
        axis_y = self.y - GAP + 14
        for i in range(5):
            second = self.span_s * i / 4
            label = f"{second / 3600:g} h" if self.span_s > 7200 else f"{second:g} s"
            self.parts.append(f'<text class="s" x="{self.x_of(second):.0f}" y="{axis_y}" text-anchor="middle">{label}</text>')
        height = axis_y + 8
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
                f'<title>{escaped(report["scenario"])}</title><style>{STYLE}</style>'
                f'<rect class="back" width="{WIDTH}" height="{height}"/>'
                f'<text class="h" x="{LEFT}" y="14">{escaped(report["scenario"])}</text>'
                + "".join(self.parts) + "</svg>\n")

    def regions(self):
        """The regions whose load moved most are named, the others stand behind them in grey."""
        busy = list(zip((r["name"] for r in self.report["regions"]), self.report["series"]["busy_share"]))
        busy = [(name, values) for name, values in busy if max(values, default=0) > 0]

        def moved(values):
            few, _ = thinned(values[len(values) // 10:], 30)
            return max(few) - min(few) if few else 0

        busy.sort(key=lambda item: -moved(item[1]))
        named = [(name, kind, values) for (name, values), kind in zip(busy[:REGIONS_NAMED], "dcfe")]
        rest = [(None, "g", values) for _, values in busy[REGIONS_NAMED:REGIONS_NAMED + 10]]
        return rest + named


def write_row(page, name, figures):
    """The figures of one scenario into its row of the page's table; the words in it stay."""
    offers = figures["offers_per_served"]
    cells = (f'{100 * figures["served_share"]:.1f} %', f'{100 * figures["home_share"]:.1f} %',
             f"{offers:.0f}" if offers >= 100 else f"{offers:.2f}", f'{figures["wait_p99_s"]:.2f} s')
    text = page.read_text()
    row = re.compile(rf"^(\| \[`{name}`\][^|]*\|[^|]*\|).*$", re.M)
    if row.search(text):
        page.write_text(row.sub(lambda m: f"{m[1]} {' | '.join(cells)} |", text))


def main():
    program, out = sys.argv[1], pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, sys.argv[3:] or sorted(pathlib.Path("sim/scenarios").glob("*.yaml"))):
        run = subprocess.run([program, "sim", "run", str(path), "--json"], check=True, capture_output=True, text=True)
        report = json.loads(run.stdout)
        (out / f"{path.stem}.svg").write_text(Plot(report).svg())
        figures = report["figures"]
        write_row(out.parent / "simulating.md", path.stem, figures)
        print(f'{path.stem:24} served {100 * figures["served_share"]:.1f} %  served home {100 * figures["home_share"]:.1f} %  '
              f'offers {figures["offers_per_served"]:.2f}  p99 wait {figures["wait_p99_s"]:.2f} s  '
              f'{report["events"]} events', flush=True)


if __name__ == "__main__":
    main()
