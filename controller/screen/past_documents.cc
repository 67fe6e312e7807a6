// What has been: the event log and the timeline.
#include <cmath>

#include "controller/orders/commands.h"
#include "controller/screen/documents.h"
#include "core/json.h"

namespace ringway::controller {
namespace {

// Three digits after the point are more than a pixel can show; a step without numbers is null.
template <class NumberOf>
void WriteSeries(const Timeline& timeline, std::string_view key, JsonWriter& json, NumberOf number_of) {
  json.Key(key).BeginArray();
  for (const Timeline::Step& step : timeline.steps()) {
    if (step.seen) {
      json.Number(std::round(static_cast<double>(number_of(step)) * 1000) / 1000);
    } else {
      json.Raw("null");
    }
  }
  json.End();
}

}  // namespace

std::string EventsDocument(const EventLog& events, std::uint64_t after) {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("last").Integer(static_cast<std::int64_t>(events.last()));
  json.Key("events").BeginArray();
  for (auto entry = events.entries().rbegin(); entry != events.entries().rend(); ++entry) {
    if (entry->number <= after) break;
    json.BeginObject();
    json.Key("number").Integer(static_cast<std::int64_t>(entry->number));
    json.Key("at_ms").Integer(ToUnixMillis(entry->wall));
    json.Key("kind").Text(EventKindName(entry->kind));
    json.Key("warning").Flag(entry->warning);
    json.Key("tier").Text(entry->tier);
    json.Key("region").Text(entry->region);
    json.Key("text").Text(entry->text);
    json.Key("who").Text(entry->who);
    json.Key("why").Text(entry->why);
    json.End();
  }
  json.End().End();
  return json.text();
}

absl::StatusOr<std::string> TimelineDocument(const ScreenView& view, const Timeline& timeline,
                                             std::string_view tier_name) {
  const Fleet& fleet = *view.machine.fleet();
  const auto tier = FindTier(fleet, tier_name);
  if (!tier.ok()) return tier.status();
  const std::size_t t = tier->index();
  using Step = Timeline::Step;
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("tier").Text(fleet.tiers[*tier].name);
  json.Key("steps").Integer(static_cast<std::int64_t>(timeline.ended()));
  json.Key("step_ms").Integer(ToInt64Milliseconds(Timeline::kStep));
  const bool any = !timeline.steps().empty();
  const Time first = any ? timeline.steps().front().start : view.now;
  json.Key("start_ms").Integer(ToUnixMillis(view.wall - (view.now - first)));
  WriteSeries(timeline, "demand", json, [t](const Step& step) { return step.tiers[t].demand_rps; });
  WriteSeries(timeline, "away", json, [t](const Step& step) { return step.tiers[t].away_rps; });
  WriteSeries(timeline, "shed", json, [t](const Step& step) { return step.tiers[t].shed_rps; });
  json.Key("regions").BeginArray();
  const bool regions_too =
      any && timeline.steps().back().tiers.size() > t && !timeline.steps().back().tiers[t].regions.empty();
  for (std::size_t r = 0; regions_too && r < fleet.world.regions.size(); ++r) {
    json.BeginObject();
    json.Key("name").Text(fleet.world.regions[RegionId(r)].name);
    WriteSeries(timeline, "load", json, [t, r](const Step& step) { return step.tiers[t].regions[r].load; });
    json.End();
  }
  json.End().End();
  return json.text();
}

}  // namespace ringway::controller
