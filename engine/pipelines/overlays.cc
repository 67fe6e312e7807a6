#include "engine/pipelines/overlays.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {
namespace {

constexpr double kStrengthMax = 10;

}  // namespace

absl::StatusOr<AdapterChoices> Overlays::Choose(const std::vector<AdapterFile>& files,
                                                const std::vector<AdaptedPart>& parts) {
  if (files.size() > kAdaptersMax)
    return absl::InvalidArgumentError(
        absl::StrCat(files.size(), " adapters are named; at most ", kAdaptersMax, " are allowed"));
  AdapterChoices choices;
  for (const AdapterFile& file : files) {
    if (!(std::abs(file.strength) <= kStrengthMax))
      return absl::InvalidArgumentError(absl::StrCat(file.path, ": the adapter's strength is ", file.strength,
                                                     "; allowed are ", -kStrengthMax, " to ", kStrengthMax));
    const absl::StatusOr<OpenAdapter> open = Find(file, parts);
    if (!open.ok()) return open.status();
    if (file.strength == 0) continue;
    choices.adapters.push_back({open->adapter, file.strength});
    absl::StrAppend(&choices.key, open->key, "*", file.strength, "|");
  }
  return choices;
}

absl::StatusOr<Overlays::OpenAdapter> Overlays::Find(const AdapterFile& file,
                                                     const std::vector<AdaptedPart>& parts) {
  const absl::StatusOr<Weights> weights = Weights::Open(file.path);
  if (!weights.ok()) return weights.status();
  const std::string key = absl::StrCat(file.path, " ", weights->Identity());
  const auto at =
      std::find_if(adapters_.begin(), adapters_.end(), [&](const OpenAdapter& a) { return a.key == key; });
  if (at != adapters_.end()) {
    adapters_.splice(adapters_.end(), adapters_, at);
    return *at;
  }
  absl::StatusOr<std::shared_ptr<const Adapter>> read = Adapter::Read(*weights, file.path, parts);
  if (!read.ok()) return read.status();
  adapters_.push_back({key, *std::move(read)});
  const OpenAdapter opened = adapters_.back();
  MakeRoom();
  return opened;
}

absl::StatusOr<std::shared_ptr<WeightSet>> Overlays::SetOf(const std::string& part,
                                                           const ComponentWeights& weights,
                                                           const AdapterChoices& choices) {
  MakeRoom();  // what plans made of earlier overlays counts now
  const bool touched = std::any_of(choices.adapters.begin(), choices.adapters.end(),
                                   [&](const ChosenAdapter& c) { return !c.adapter->Of(part).empty(); });
  if (!touched) return weights.set;
  // One part may be there in two ways, as a UNet with a motion adapter and without: the set tells them apart,
  // and lives as long as its overlay.
  const std::string key =
      absl::StrCat(part, "|", reinterpret_cast<std::uintptr_t>(weights.set.get()), "|", choices.key);
  const auto at =
      std::find_if(overlays_.begin(), overlays_.end(), [&](const Overlay& o) { return o.key == key; });
  if (at != overlays_.end()) {
    overlays_.splice(overlays_.end(), overlays_, at);
    return at->set;
  }
  const auto adapted = AdaptedWeights::Make(weights.source, part, choices.adapters);
  if (!adapted.ok()) return adapted.status();
  overlays_.push_back(
      {key, std::make_shared<WeightSet>(weights.set, *adapted, [source = *adapted](std::string_view name) {
         return source->Adapts(name);
       })});
  return overlays_.back().set;
}

std::size_t Overlays::bytes() const {
  std::size_t bytes = 0;
  for (const OpenAdapter& open : adapters_) bytes += open.adapter->bytes();
  for (const Overlay& overlay : overlays_) bytes += overlay.set->packed_bytes();
  return bytes;
}

void Overlays::MakeRoom() {
  while (bytes() > bytes_max_ && (adapters_.size() > 1 || overlays_.size() > 1)) {
    if (overlays_.size() > 1)
      overlays_.pop_front();
    else
      adapters_.pop_front();
  }
}

}  // namespace ringway::engine
