#include "sim/report/page.h"

namespace ringway::sim {

namespace {

// Colours: two series colours that differ for colour-blind readers too (Okabe and Ito, 2008), one warning.
constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --ground: #fbfbfa; --card: #ffffff; --ink: #1c1e21; --soft: #667; --line: #dcdee2; --land: #e9ebe6;
  --a: #0072b2; --b: #d55e00; --good: #00875f; --bad: #b3261e; --step: rgba(213, 94, 0, .13);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14161a; --card: #1c1f24; --ink: #e7e9ec; --soft: #9aa3ad; --line: #343a42; --land: #262b31;
    --a: #56b4e9; --b: #e69f00; --good: #3ccf9b; --bad: #ff8a80; --step: rgba(230, 159, 0, .16);
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 20px 16px 60px; }
h1 { font-size: 1.5rem; margin: 0 0 2px; letter-spacing: -.01em; }
h2 { font-size: 1rem; margin: 0 0 8px; }
p { margin: 4px 0; }
.soft { color: var(--soft); }
.small { font-size: .82rem; }
.bad { color: var(--bad); }
.good { color: var(--good); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 10px; margin: 16px 0; }
.tile, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; }
.tile b { display: block; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 12px; }
.grid + .grid, .card + .grid { margin-top: 12px; }
.wide { grid-column: 1 / -1; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { fill: var(--soft); font-size: 11px; font-family: inherit; }
.axis { stroke: var(--line); stroke-width: 1; }
.scroll { overflow-x: auto; }
svg.broad { min-width: 720px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .86rem; }
th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th { color: var(--soft); font-weight: 500; }
.key { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin: 0 5px 0 12px; }
.key:first-child { margin-left: 0; }
.bar { fill: var(--a); opacity: .75; }
@media print { body { background: #fff; } .card, .tile { break-inside: avoid; } }
)css";

}  // namespace

std::string_view PageStyle() { return kStyle; }

}  // namespace ringway::sim
