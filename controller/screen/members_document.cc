// Who is there: the workers of a region, and routers.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/orders/commands.h"
#include "controller/screen/documents.h"
#include "controller/screen/held_table.h"
#include "core/json.h"

namespace ringway::controller {
namespace {

struct WorkerLine {
  const RouterState* router;
  const WorkerSeen* worker;
};

std::string_view StateOf(const WorkerLine& line) {
  if (!line.router->present()) return "lost";
  if (!line.worker->healthy) return "unwell";
  if (line.worker->draining) return "draining";
  return line.worker->busy ? "busy" : "idle";
}

std::string_view StateOf(const RouterState& router) {
  if (router.stream == 0) return "gone";
  return router.silent ? "silent" : "here";
}

// By name, each once: of two routers that name a worker the one that spoke last is believed.
std::vector<WorkerLine> WorkersOf(const FleetView& view, RegionId region, std::optional<TierId> tier) {
  std::vector<WorkerLine> lines;
  for (const auto& [name, router] : view.routers()) {
    if (router.hello.region != region) continue;
    for (const WorkerSeen& worker : router.workers) {
      if (!tier || worker.tier == *tier) lines.push_back({&router, &worker});
    }
  }
  std::sort(lines.begin(), lines.end(), [](const WorkerLine& a, const WorkerLine& b) {
    if (const int order = a.worker->name.compare(b.worker->name); order != 0) return order < 0;
    return std::tie(b.router->reported_at, a.router->hello.router) <
           std::tie(a.router->reported_at, b.router->hello.router);
  });
  const auto again = [](const WorkerLine& a, const WorkerLine& b) {
    return a.worker->name == b.worker->name && a.worker->tier == b.worker->tier;
  };
  lines.erase(std::unique(lines.begin(), lines.end(), again), lines.end());
  return lines;
}

void WriteMoment(const ScreenView& view, std::string_view key, Time at, JsonWriter& json) {
  json.Key(key);
  if (at == InfinitePast()) {
    json.Raw("null");
  } else {
    json.Integer(ToUnixMillis(view.wall - (view.now - at)));
  }
}

void WriteCounts(const std::map<std::string_view, std::int64_t>& counts, JsonWriter& json) {
  json.Key("counts").BeginObject();
  for (const auto& [state, count] : counts) json.Key(state).Integer(count);
  json.End();
}

void WriteWorker(const ScreenView& view, const WorkerLine& line, JsonWriter& json) {
  const RouterState& router = *line.router;
  const double share = router.period_s > 0 ? line.worker->busy_s / router.period_s : 0;
  json.BeginObject();
  json.Key("name").Text(line.worker->name);
  json.Key("tier").Text(view.machine.fleet()->tiers[line.worker->tier].name);
  json.Key("address").Text(line.worker->address);
  json.Key("router").Text(router.hello.router);
  json.Key("state").Text(StateOf(line));
  json.Key("busy").Number(std::min(1.0, share));
  json.Key("adopted").Flag(line.worker->adopted);
  json.Key("plain").Flag(line.worker->plain);
  WriteMoment(view, "heard_ms", router.reported_at, json);
  json.End();
}

void WriteRouter(const ScreenView& view, const RouterState& router, const ExpectedTable& expected,
                 JsonWriter& json) {
  const std::string& name = router.hello.router;
  const bool late = router.stream != 0 && !expected.HeldBy(name, router);
  json.BeginObject();
  json.Key("name").Text(name);
  json.Key("region").Text(view.machine.fleet()->world.regions[router.hello.region].name);
  json.Key("address").Text(router.hello.address);
  json.Key("build").Text(router.hello.build);
  json.Key("state").Text(StateOf(router));
  // Since it connected, or since its stream broke.
  WriteMoment(view, "since_ms", router.left_at, json);
  WriteMoment(view, "heard_ms", router.reported_at, json);
  json.Key("table").Text(router.active == TableVersion{}
                             ? std::string()
                             : absl::StrCat(router.active.epoch, ".", router.active.version));
  json.Key("late").Flag(late);
  WriteMoment(view, "late_since_ms", late ? expected.LateSince(name, router) : InfinitePast(), json);
  json.Key("canary").Flag(view.machine.trial().Chosen(name));
  json.Key("workers").Integer(static_cast<std::int64_t>(router.workers.size()));
  json.End();
}

}  // namespace

absl::StatusOr<std::string> WorkersDocument(const ScreenView& view, std::string_view tier_name,
                                            std::string_view region_name, const ListPage& page) {
  const Fleet& fleet = *view.machine.fleet();
  std::optional<TierId> tier;
  if (!tier_name.empty()) {
    const auto found = FindTier(fleet, tier_name);
    if (!found.ok()) return found.status();
    tier = *found;
  }
  const auto region = FindRegion(fleet, region_name);
  if (!region.ok()) return region.status();
  const std::vector<WorkerLine> lines = WorkersOf(view.machine.view(), *region, tier);
  std::map<std::string_view, std::int64_t> counts;
  for (const WorkerLine& line : lines) ++counts[StateOf(line)];
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("tier").Text(tier_name);
  json.Key("region").Text(region_name);
  json.Key("total").Integer(static_cast<std::int64_t>(lines.size()));
  json.Key("from").Integer(static_cast<std::int64_t>(page.from));
  WriteCounts(counts, json);
  json.Key("workers").BeginArray();
  const std::size_t limit = std::min(page.limit, kPageMax);
  for (std::size_t i = page.from; i < lines.size() && i - page.from < limit; ++i) {
    WriteWorker(view, lines[i], json);
  }
  json.End().End();
  return json.text();
}

absl::StatusOr<std::string> RoutersDocument(const ScreenView& view, std::string_view region_name,
                                            const ListPage& page) {
  std::optional<RegionId> region;
  if (!region_name.empty()) {
    const auto found = FindRegion(*view.machine.fleet(), region_name);
    if (!found.ok()) return found.status();
    region = *found;
  }
  const ExpectedTable expected(view.machine, view.now);
  const std::size_t limit = std::min(page.limit, kPageMax);
  std::map<std::string_view, std::int64_t> counts;
  std::size_t total = 0;
  std::int64_t late = 0;
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("region").Text(region_name);
  json.Key("from").Integer(static_cast<std::int64_t>(page.from));
  json.Key("routers").BeginArray();
  for (const auto& [name, router] : view.machine.view().routers()) {
    if (region && router.hello.region != *region) continue;
    const std::size_t place = total++;
    ++counts[StateOf(router)];
    if (router.stream != 0 && !expected.HeldBy(name, router)) ++late;
    if (place >= page.from && place - page.from < limit) WriteRouter(view, router, expected, json);
  }
  json.End();
  json.Key("total").Integer(static_cast<std::int64_t>(total));
  json.Key("late").Integer(late);
  WriteCounts(counts, json);
  json.End();
  return json.text();
}

}  // namespace ringway::controller
