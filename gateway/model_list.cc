#include "gateway/model_list.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "core/json.h"

namespace ringway::gateway {
namespace {

void Add(JsonWriter& json, const std::string& name) {
  json.BeginObject().Key("id").Text(name).Key("object").Text("model");
  json.Key("created").Integer(0).Key("owned_by").Text("ringway").End();
}

}  // namespace

void ModelList::Use(const FleetSummary& summary) {
  std::set<std::string> names;
  for (const FleetSummary::Tier& tier : summary.tiers) {
    names.insert(tier.name);
    names.insert(tier.models.names().begin(), tier.models.names().end());
  }
  if (names == names_) return;
  names_ = std::move(names);
  Write();
}

void ModelList::Write() {
  JsonWriter json(JsonWriter::Layout::kDense);
  json.BeginObject().Key("object").Text("list").Key("data").BeginArray();
  for (const std::string& name : names_) Add(json, name);
  json.End().End();
  all_ = json.text();
}

std::string ModelList::One(const std::string& name) {
  JsonWriter json(JsonWriter::Layout::kDense);
  Add(json, name);
  return json.text();
}

std::string ModelList::Names() const { return absl::StrJoin(names_, ", "); }

}  // namespace ringway::gateway
