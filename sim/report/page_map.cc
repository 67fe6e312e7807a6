#include "sim/report/page.h"

namespace ringway::sim {

namespace {

// The map of flows. The coast is a drawing of some two hundred points, good enough to know where one is.
constexpr std::string_view kMap = R"js(
const LAND = [
  [-168,65,-162,59,-152,59,-140,60,-131,55,-124,48,-124,40,-117,33,-110,23,-105,20,-95,16,-88,14,-83,9,-79,9,
   -83,15,-88,16,-87,21,-91,19,-97,21,-97,27,-90,29,-84,30,-81,25,-80,31,-75,36,-70,42,-65,44,-60,46,-65,49,
   -58,52,-62,58,-70,61,-78,62,-78,55,-82,53,-93,58,-94,62,-85,68,-95,70,-110,68,-128,70,-142,70,-156,71,-166,68],
  [-55,60,-44,60,-22,70,-20,78,-60,80,-68,76,-53,68],
  [-79,9,-72,12,-62,10,-52,5,-48,0,-35,-6,-39,-14,-41,-22,-48,-27,-54,-34,-58,-38,-65,-43,-68,-52,-72,-53,
   -75,-47,-73,-37,-71,-28,-70,-18,-77,-12,-81,-5,-78,2],
  [-6,36,10,37,11,33,20,31,32,31,35,28,38,20,43,12,51,12,46,3,40,-4,40,-12,35,-20,35,-25,28,-33,18,-34,14,-24,
   12,-15,13,-7,9,0,9,4,1,6,-8,5,-16,12,-17,21,-10,30],
  [-9,37,-9,43,-2,44,-4,48,3,51,8,54,10,57,12,54,20,55,24,59,22,64,25,66,18,62,16,57,13,56,6,59,6,62,14,68,
   26,71,40,67,44,66,60,69,70,73,90,75,105,77,115,74,140,72,160,70,180,69,178,65,170,60,162,57,157,51,156,58,
   160,61,143,59,136,54,141,52,133,43,129,41,129,36,126,35,125,39,121,40,118,38,122,37,120,34,122,30,117,23,
   109,21,106,18,109,12,105,9,100,13,103,2,101,3,98,9,98,16,94,16,91,22,87,21,80,15,80,11,77,8,73,17,72,21,
   67,25,57,26,56,24,60,22,55,17,45,13,43,16,35,28,35,32,36,36,27,37,27,40,40,41,37,46,31,46,28,42,24,40,23,37,
   19,42,13,45,18,40,16,38,11,43,7,44,3,43,0,39,-5,36],
  [-5,50,1,51,0,53,-2,56,-3,58,-6,57,-4,54], [-10,52,-6,52,-6,55,-9,54], [-24,65,-14,65,-19,63],
  [130,31,131,34,136,34,140,35,142,40,145,43,141,45,140,41,136,37,132,35], [120,22,122,25,121,22],
  [95,5,104,-3,106,-6,101,-3], [109,1,117,7,119,1,116,-4,110,-3], [105,-7,114,-8,114,-7,106,-6],
  [120,1,125,1,123,-5,120,-5], [131,-1,141,-3,150,-10,143,-9,138,-8,133,-4], [120,18,122,18,126,7,122,9,120,14],
  [114,-22,122,-18,130,-12,136,-12,136,-16,141,-17,143,-11,146,-19,153,-25,153,-31,150,-37,144,-38,138,-35,
   131,-32,124,-33,115,-34], [145,-41,148,-41,147,-43], [173,-35,178,-38,175,-41,167,-46,171,-46,174,-41],
  [44,-25,43,-17,49,-12,50,-16,47,-25], [80,10,82,7,80,6],
];
const MAP_WIDTH = 1130, MAP_HEIGHT = 440;

function flowMap(run) {
  const known = run.regions.some((r) => r.latitude !== 0 || r.longitude !== 0);
  const root = svg("svg", {viewBox: `0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`, role: "img"});
  const project = (lon, lat) => [(lon + 180) / 360 * MAP_WIDTH, (78 - lat) / 134 * MAP_HEIGHT];
  if (known) {
    for (const shape of LAND) {
      const points = [];
      for (let i = 0; i < shape.length; i += 2) points.push(project(shape[i], shape[i + 1]).join(","));
      root.append(svg("polygon", {points: points.join(" "), fill: "var(--land)"}));
    }
  }
  // Without coordinates: a ring, in the order of the file.
  const place = run.regions.map((r, i) => {
    if (known) return project(r.longitude, r.latitude);
    const angle = 2 * Math.PI * i / run.regions.length;
    return [MAP_WIDTH / 2 + 180 * Math.sin(angle), MAP_HEIGHT / 2 - 180 * Math.cos(angle)];
  });
  let all = 0;
  for (const row of run.flows) for (const n of row) all += n;
  const flows = [];
  run.flows.forEach((row, from) => row.forEach((n, to) => { if (from !== to && n > all * 2e-4) flows.push([n, from, to]); }));
  flows.sort((a, b) => a[0] - b[0]);
  for (const [n, from, to] of flows) {
    const [x1, y1] = place[from], [x2, y2] = place[to];
    const bend = 0.18, cx = (x1 + x2) / 2 - (y2 - y1) * bend, cy = (y1 + y2) / 2 + (x2 - x1) * bend;
    const path = svg("path", {d: `M${x1} ${y1}Q${cx} ${cy} ${x2} ${y2}`, fill: "none", stroke: "var(--b)",
                              "stroke-linecap": "round", opacity: 0.72,
                              "stroke-width": Math.max(0.6, 16 * Math.sqrt(n / all)).toFixed(2)});
    path.append(svg("title", {}, `${run.regions[from].name} to ${run.regions[to].name}: ${short(n)} jobs, ` +
                                 `${percent(n / all)} of all`));
    root.append(path);
  }
  const most = Math.max(1, ...run.regions.map((r) => r.workers));
  const taken = [];
  run.regions.forEach((region, i) => {
    const [x, y] = place[i], radius = region.workers > 0 ? 3 + 9 * Math.sqrt(region.workers / most) : 2;
    const dot = svg("circle", {cx: x, cy: y, r: radius, fill: heat(region.busy_share), stroke: "var(--ink)",
                               "stroke-width": 0.8});
    dot.append(svg("title", {}, `${region.name} ${region.title}: ${region.workers} workers, ` +
                                `${percent(region.busy_share)} busy`));
    root.append(dot);
    const box = [x - 34, y - radius - 15, x + 34, y - radius - 3];
    if (taken.some((o) => o[0] < box[2] && box[0] < o[2] && o[1] < box[3] && box[1] < o[3])) return;
    taken.push(box);
    root.append(svg("text", {x, y: y - radius - 5, "text-anchor": "middle"}, region.name));
  });
  return root;
}
)js";

}  // namespace

std::string_view PageMap() { return kMap; }

}  // namespace ringway::sim
