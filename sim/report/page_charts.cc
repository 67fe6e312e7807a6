#include "sim/report/page.h"

namespace ringway::sim {

namespace {

// Small drawing helpers of the page: elements, number formats, line charts, heat maps.
constexpr std::string_view kCharts = R"js(
const SVG = "http://www.w3.org/2000/svg";
function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  for (const child of children) node.append(child);
  return node;
}
function svg(name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}
const percent = (x) => (100 * x).toFixed(Math.abs(x) > 0.9995 || x < 0.1 ? 2 : 1) + " %";
function short(x) {
  if (x === null || x === undefined) return "–";
  const size = Math.abs(x);
  if (size >= 1e6) return (x / 1e6).toFixed(1) + "M";
  if (size >= 1e4) return (x / 1e3).toFixed(0) + "k";
  if (size >= 100) return x.toFixed(0);
  if (size >= 1) return x.toFixed(size >= 10 ? 1 : 2);
  return size === 0 ? "0" : x.toPrecision(2);
}
const clockUnit = (span) => (span > 7200 ? [3600, " h"] : span > 180 ? [60, " min"] : [1, " s"]);
function clock(seconds, span) {
  const [unit, name] = clockUnit(span);
  return +(seconds / unit).toFixed(1) + name;
}
function niceStep(top, count) {
  const raw = top / count, unit = 10 ** Math.floor(Math.log10(raw));
  for (const m of [1, 2, 2.5, 5, 10]) if (m * unit >= raw) return m * unit;
  return 10 * unit;
}
const WIDTH = 560, LEFT = 46, RIGHT = 10, TOP = 10, BOTTOM = 22;

// The frame that all charts over time share: axes, and a shade for every trouble.
function frame(run, height, top, unit) {
  const span = run.duration_s, root = svg("svg", {viewBox: `0 0 ${WIDTH} ${height}`, role: "img"});
  const x = (t) => LEFT + (WIDTH - LEFT - RIGHT) * t / span;
  const y = (v) => height - BOTTOM - (height - TOP - BOTTOM) * Math.min(v, top) / top;
  for (const step of run.steps) {
    if (step.at_s >= span) continue;
    const end = Math.min(span, step.lasts_s === null ? span : step.at_s + step.lasts_s);
    const shade = svg("rect", {x: x(step.at_s), y: TOP, width: Math.max(1, x(end) - x(step.at_s)),
                               height: height - TOP - BOTTOM, fill: "var(--step)"});
    shade.append(svg("title", {}, step.what));
    root.append(shade);
  }
  const step = niceStep(top, 4);
  for (let v = 0; v <= top * 1.001; v += step) {
    root.append(svg("line", {x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v), class: "axis"}));
    root.append(svg("text", {x: LEFT - 6, y: y(v) + 4, "text-anchor": "end"}, short(v) + (unit || "")));
  }
  const ticks = niceStep(span / clockUnit(span)[0], 6) * clockUnit(span)[0];
  for (let t = 0; t <= span * 1.001; t += ticks) {
    root.append(svg("text", {x: x(t), y: height - 6, "text-anchor": "middle"}, clock(t, span)));
  }
  return {root, x, y};
}
function line(values, bin, x, y, colour, dashed) {
  const points = values.map((v, i) => `${x((i + 0.5) * bin).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
  const node = svg("polyline", {points, fill: "none", stroke: colour, "stroke-width": 1.6,
                                "stroke-linejoin": "round"});
  if (dashed) node.setAttribute("stroke-dasharray", "4 3");
  return node;
}
// lines: [{name, values, colour, dashed}]; the tallest value that is seen sets the scale.
function lineChart(run, lines, unit) {
  let top = 0;
  for (const l of lines) for (const v of l.values) top = Math.max(top, v);
  top = top > 0 ? top * 1.05 : 1;
  const f = frame(run, 210, top, unit);
  for (const l of lines) f.root.append(line(l.values, run.series.bin_s, f.x, f.y, l.colour, l.dashed));
  return f.root;
}
function legend(lines) {
  const node = el("p", {class: "small soft"});
  for (const l of lines) {
    node.append(el("span", {class: "key", style: `background:${l.colour}`}), l.name + " ");
  }
  return node;
}
// From calm to full: lightness falls steadily, so that it reads without colour too.
function heat(share) {
  const s = Math.max(0, Math.min(1, share));
  return s > 0.97 ? "var(--bad)" : `color-mix(in srgb, var(--a) ${Math.round(100 * s)}%, var(--land))`;
}
function heatMap(run) {
  const rows = run.regions.map((region, i) => ({region, values: run.series.busy_share[i]}))
                   .filter((row) => row.region.workers > 0);
  const cell = 15, name = 104, height = rows.length * cell + BOTTOM;
  const columns = Math.min(140, rows.length > 0 ? rows[0].values.length : 0);
  const root = svg("svg", {viewBox: `0 0 1130 ${height}`, role: "img"});
  rows.forEach((row, r) => {
    root.append(svg("text", {x: name - 6, y: r * cell + 11, "text-anchor": "end"}, row.region.name));
    const per = row.values.length / columns, width = (1130 - name) / columns;
    for (let c = 0; c < columns; ++c) {
      const part = row.values.slice(Math.floor(c * per), Math.max(Math.floor((c + 1) * per), Math.floor(c * per) + 1));
      const mean = part.reduce((sum, v) => sum + v, 0) / part.length;
      const box = svg("rect", {x: name + c * width, y: r * cell + 1, width: width + 0.3, height: cell - 2,
                               fill: heat(mean)});
      box.append(svg("title", {}, `${row.region.name}: ${percent(mean)} busy`));
      root.append(box);
    }
  });
  const span = run.duration_s, ticks = niceStep(span / clockUnit(span)[0], 9) * clockUnit(span)[0];
  for (let t = 0; t <= span * 1.001; t += ticks) {
    const anchor = t === 0 ? "start" : t > span * 0.97 ? "end" : "middle";
    root.append(svg("text", {x: name + (1130 - name) * t / span, y: height - 6, "text-anchor": anchor},
                    clock(t, span)));
  }
  return root;
}
)js";

}  // namespace

std::string_view PageCharts() { return kCharts; }

}  // namespace ringway::sim
