#include "sim/report/page.h"

namespace ringway::sim {

namespace {

// Puts the page together: one run, or two beside each other.
constexpr std::string_view kScript = R"js(
function tile(label, value, note, mood) {
  const box = el("div", {class: "tile"}, el("span", {class: "soft small"}, label), el("b", {class: mood || ""}, value));
  if (note) box.append(el("span", {class: "soft small"}, note));
  return box;
}
function tiles(run) {
  const f = run.figures, box = el("div", {class: "tiles"});
  box.append(tile("served", percent(f.served_share), `${short(f.submitted)} jobs submitted`));
  box.append(tile("served home", percent(f.home_share), "of the served"));
  box.append(tile("wait p99", short(f.wait_p99_s) + " s", `mean ${short(f.wait_mean_s)} s`));
  box.append(tile("end to end p99", short(f.latency_p99_s) + " s", `median ${short(f.latency_p50_s)} s`));
  box.append(tile("offers a served job", f.offers_per_served.toFixed(2), "1 is the least"));
  box.append(tile("workers busy", percent(f.busy_share), `${percent(f.wasted_share)} of it wasted`));
  if (run.cost) {
    box.append(tile("cost of 1000 served jobs", short(f.cost_per_1000_served),
                    `${short(run.cost.gpu)} GPU hours, ${short(run.cost.egress)} egress`));
  }
  box.append(tile("rules broken", String(f.violations), "by independent checkers", f.violations ? "bad" : "good"));
  return box;
}
function table(head, rows) {
  const node = el("table", {}), top = el("tr", {});
  for (const h of head) top.append(el("th", {}, h));
  node.append(el("thead", {}, top));
  const body = el("tbody", {});
  for (const row of rows) {
    const line = el("tr", {});
    for (const cell of row) line.append(cell instanceof Node ? el("td", {}, cell) : el("td", {}, String(cell)));
    body.append(line);
  }
  node.append(body);
  return el("div", {class: "scroll"}, node);
}
function card(title, note, ...content) {
  const node = el("section", {class: "card"}, el("h2", {}, title));
  if (note) node.append(el("p", {class: "soft small"}, note));
  node.append(...content);
  return node;
}
// Small print that a phone scrolls through rather than shrinks.
function broad(drawing) { drawing.classList.add("broad"); return el("div", {class: "scroll"}, drawing); }
function wide(node) { node.classList.add("wide"); return node; }

function references(run) {
  const rows = run.references.filter((r) => r.offered_erlangs > 0).map((r) => [
    r.tier, short(r.offered_erlangs) + " of " + r.workers, percent(r.erlang_b_served_share),
    r.erlang_c_wait_mean_s === null ? "no steady state" : short(r.erlang_c_wait_mean_s) + " s",
    percent(r.central_queue_served_share), short(r.central_queue_wait_mean_s) + " s",
    short(r.central_queue_wait_p99_s) + " s"]);
  const f = run.figures;
  rows.push(["this run", "", "", "", percent(f.served_share), short(f.wait_mean_s) + " s", short(f.wait_p99_s) + " s"]);
  const parts = [table(["tier", "offered", "Erlang-B: served at once", "Erlang-C: mean wait", "one queue: served",
                        "mean wait", "p99 wait"], rows)];
  if (run.plan_cost_over_optimum > 0) {
    parts.push(el("p", {class: "small"}, `Plans cost ${run.plan_cost_over_optimum.toFixed(4)} of the least possible ` +
                                         "RPS x RTT for the same requests sent away."));
  }
  return card("How near to what is possible",
              "One queue for the whole fleet, without distance and with every worker alive: the best conceivable.", ...parts);
}
function quantiles(run) {
  const rows = run.quantiles.map((q, i) => ["p" + +(100 * q).toFixed(1), short(run.wait_s[i]) + " s", short(run.latency_s[i]) + " s"]);
  return card("Quantiles", "", table(["", "wait", "end to end"], rows));
}
function outcomes(run) {
  const all = Object.values(run.outcomes).reduce((a, b) => a + b, 0);
  const rows = Object.entries(run.outcomes).filter(([, n]) => n > 0).map(([name, n]) => [name, short(n), percent(n / all)]);
  return card("How jobs ended", "", table(["", "jobs", "share"], rows));
}
function regions(run) {
  const rows = run.regions.map((r) => [r.name, r.workers, percent(r.busy_share), short(r.served),
    r.served > 0 ? percent(r.served_home / r.served) : "–", short(r.served_guest),
    ...(r.cost ? [short(r.cost.gpu_hours), short(r.cost.gpu), short(r.cost.egress)] : [])]);
  const money = run.cost ? ["GPU hours", "cost of GPU hours", "cost of egress"] : [];
  return card("Regions", "", table(["region", "workers", "busy", "users' jobs", "served home", "served for others", ...money], rows));
}
function charts(run) {
  const s = run.series, grid = el("div", {class: "grid"});
  const demand = [{name: "submitted", values: s.submitted_rps, colour: "var(--soft)", dashed: true},
                  {name: "served", values: s.served_rps, colour: "var(--a)"},
                  {name: "not served", values: s.unserved_rps, colour: "var(--b)"}];
  grid.append(wide(card("Where jobs were served", "Lines: jobs served away from home. Dots: workers, darker is busier.", broad(flowMap(run)))));
  grid.append(card("Goodput, jobs a second", "", legend(demand), lineChart(run, demand)));
  const late = [{name: "end to end p99", values: s.latency_p99_s, colour: "var(--a)"},
                {name: "mean wait", values: s.wait_mean_s, colour: "var(--b)"}];
  grid.append(card("Latency, seconds", "", legend(late), lineChart(run, late)));
  grid.append(card("Offers to workers, a served job", "", lineChart(run, [{name: "", values: s.offers_per_served, colour: "var(--a)"}])));
  grid.append(card("Tables taken into use, a router and minute", "", lineChart(run, [{name: "", values: s.tables_per_minute, colour: "var(--a)"}])));
  grid.append(wide(card("Workers busy", "Each row a region; red is full.", broad(heatMap(run)))));
  grid.append(wide(references(run)), quantiles(run), outcomes(run), regions(run));
  if (run.steps.length > 0) {
    const rows = run.steps.map((step) => [step.what, clock(step.at_s, run.duration_s),
      step.lasts_s === null ? "to the end" : clock(step.lasts_s, run.duration_s)]);
    grid.append(card("What happened", "Shaded in the charts.", table(["", "at", "for"], rows)));
  }
  return grid;
}
function about(run) {
  const text = `seed ${run.seed}, ${clock(run.duration_s, run.duration_s)} of virtual time, ` +
    `${short(run.events)} events` + (run.complete ? "" : " (stopped early)");
  const node = el("div", {}, el("p", {class: "soft"}, text));
  for (const remark of run.remarks) node.append(el("p", {class: "soft small"}, remark));
  for (const violation of run.violations) node.append(el("pre", {class: "bad small"}, violation));
  return node;
}
function comparison(rows) {
  const points = (x) => (100 * x).toFixed(3) + " %";
  const cell = (e, share) => (share ? points : short)(e.mean) +
    (e.half_width === null ? "" : " ± " + (share ? points : short)(e.half_width));
  return card("Difference", "Means over seeds with 95 % intervals; the difference is taken seed by seed.",
    table(["", RUNS[0].scenario, RUNS[1].scenario, "difference", ""], rows.map((r) => [r.title, cell(r.a, r.percent), cell(r.b, r.percent), cell(r.difference, r.percent),
      el("span", {class: r.verdict === "better" ? "good" : r.verdict === "worse" ? "bad" : "soft"}, r.verdict)])));
}
const page = document.getElementById("page");
if (RUNS.length === 1) {
  document.title = RUNS[0].scenario + " – Ringway simulation";
  page.append(el("h1", {}, RUNS[0].scenario), about(RUNS[0]), tiles(RUNS[0]), charts(RUNS[0]));
} else {
  page.append(el("h1", {}, RUNS.map((run) => run.scenario).join(" and ")));
  if (EXTRA.comparison) page.append(comparison(EXTRA.comparison));
  const both = (title, key, scale) => {
    const top = el("div", {class: "grid"});
    RUNS.forEach((run) => top.append(card(`${title}: ${run.scenario}`, "", lineChart(run,
      [{name: "", values: run.series[key], colour: "var(--a)"}]))));
    return top;
  };
  page.append(both("Served, jobs a second", "served_rps"), both("End to end p99, s", "latency_p99_s"),
              both("Offers a served job", "offers_per_served"));
  const maps = el("div", {class: "grid"});
  for (const run of RUNS) maps.append(card(run.scenario, "", about(run), tiles(run), broad(flowMap(run)), broad(heatMap(run))));
  page.append(maps);
}
)js";

}  // namespace

std::string_view PageScript() { return kScript; }

}  // namespace ringway::sim
