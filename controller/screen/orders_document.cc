// What operators have ordered and what is therefore not as the topology says.
#include "controller/orders/commands.h"
#include "controller/screen/documents.h"
#include "core/json.h"

namespace ringway::controller {
namespace {

void WriteValue(TierMode mode, JsonWriter& json) { json.Text(TierModeName(mode)); }
void WriteValue(double share, JsonWriter& json) { json.Number(share); }
void WriteValue(const std::optional<double>& threshold, JsonWriter& json) {
  if (threshold) {
    json.Number(*threshold);
  } else {
    json.Raw("null");
  }
}
void WriteValue(const std::optional<Row>& row, JsonWriter& json) { json.Flag(row.has_value()); }

// One tier's orders, a line each.
class OrderLines {
 public:
  OrderLines(const ScreenView& view, const TierLoop& loop, JsonWriter& json)
      : view_(view), loop_(loop), json_(json) {}

  void Write() {
    const TierOrders& orders = loop_.orders();
    const World& world = loop_.fleet().world;
    Add("mode", "", "", orders.mode);
    Add("threshold", "", "", orders.threshold);
    for (RegionId id(0); id != world.regions.end_id(); id = RegionId(id.index() + 1)) {
      Add("threshold", world.regions[id].name, "", orders.thresholds[id]);
      Add("drain", world.regions[id].name, "", orders.drains[id]);
    }
    for (const auto& [key, pin] : orders.pins) {
      Add("pin", world.regions[key.first].name, loop_.tier().priorities[key.second], pin);
    }
  }

 private:
  template <class T>
  void Add(std::string_view kind, std::string_view region, std::string_view priority, const Timed<T>& order) {
    if (!order.over && order.lasting == T{}) return;
    json_.BeginObject();
    json_.Key("tier").Text(loop_.tier().name);
    json_.Key("kind").Text(kind);
    json_.Key("region").Text(region);
    json_.Key("priority").Text(priority);
    json_.Key("value");
    WriteValue(order.now(), json_);
    if (order.over) {
      const Term& term = order.over->second;
      json_.Key("then");
      WriteValue(order.lasting, json_);
      json_.Key("until_ms").Integer(ToUnixMillis(view_.wall + (term.until - view_.now)));
      json_.Key("who").Text(term.who);
    }
    json_.End();
  }

  const ScreenView& view_;
  const TierLoop& loop_;
  JsonWriter& json_;
};

}  // namespace

absl::StatusOr<std::string> OrdersDocument(const ScreenView& view, std::string_view tier_name) {
  std::optional<TierId> tier;
  if (!tier_name.empty()) {
    const auto found = FindTier(*view.machine.fleet(), tier_name);
    if (!found.ok()) return found.status();
    tier = *found;
  }
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject();
  json.Key("orders").BeginArray();
  for (const TierLoop& loop : view.machine.tiers()) {
    if (!tier || loop.id() == *tier) OrderLines(view, loop, json).Write();
  }
  json.End().End();
  return json.text();
}

}  // namespace ringway::controller
