#include "topology/read_world.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "topology/rtt_estimate.h"
#include "topology/spelling.h"

namespace ringway {
namespace {

constexpr double kWithinRegionMs = 0.5;
constexpr double kShareSumTolerance = 0.005;

// `"+05:30"`, `"-03:00"` or `Z`, in minutes.
bool ParseUtcOffset(std::string_view text, int& minutes) {
  if (text == "Z") return minutes = 0, true;
  const bool shape = text.size() == 6 && (text[0] == '+' || text[0] == '-') && text[3] == ':';
  int hour = 0;
  int minute = 0;
  if (!shape || !absl::SimpleAtoi(absl::string_view(text.data() + 1, 2), &hour) ||
      !absl::SimpleAtoi(absl::string_view(text.data() + 4, 2), &minute) || hour > 14 || minute > 59 ||
      hour < 0 || minute < 0) {
    return false;
  }
  minutes = (text[0] == '-' ? -1 : 1) * (hour * 60 + minute);
  return true;
}

Region ReadRegion(const Place& place, Problems& problems) {
  Mapping fields(place, problems);
  Region region;
  region.name = fields.Name("name");
  region.title = fields.Text("title", region.name);
  fields.Require("coordinates", "latitudeDeg and longitudeDeg");
  Mapping coordinates = fields.Child("coordinates");
  if (fields.Has("coordinates")) {
    coordinates.Require("latitudeDeg", "degrees from -90 to 90");
    coordinates.Require("longitudeDeg", "degrees from -180 to 180");
  }
  region.latitude_deg = coordinates.Number("latitudeDeg", 0, {-90, 90});
  region.longitude_deg = coordinates.Number("longitudeDeg", 0, {-180, 180});
  coordinates.Finish();
  if (const std::string offset = fields.Text("utcOffset", "Z");
      !ParseUtcOffset(offset, region.utc_offset_minutes)) {
    fields.Report("utcOffset", "Z or +hh:mm or -hh:mm, at most 14 hours");
  }
  region.population_share = fields.Number("populationShare", -1, {0, 1});
  fields.Finish();
  return region;
}

void CheckPopulation(World& world, const Place& place, Problems& problems) {
  std::size_t given = 0;
  double sum = 0;
  for (const Region& region : world.regions) {
    if (region.population_share < 0) continue;
    ++given;
    sum += region.population_share;
  }
  const std::size_t regions = world.regions.size();
  if (given == 0) {
    for (Region& region : world.regions) region.population_share = 1.0 / static_cast<double>(regions);
    return;
  }
  if (given < regions) {
    problems.Add({place.node->at, place.path, absl::StrCat("populationShare on ", given, " of ", regions),
                  "populationShare on every region, or on none", ""});
  } else if (std::abs(sum - 1) > kShareSumTolerance) {
    problems.Add({place.node->at, place.path, absl::StrCat("populationShare values that sum to ", sum),
                  "a sum of 1, give or take 0.005", ""});
  }
  for (Region& region : world.regions) region.population_share = std::max(0.0, region.population_share) / sum;
}

void ReadRegions(Mapping& spec, World& world, Problems& problems) {
  if (!spec.Require("regions", "a list of regions")) return;
  const std::vector<Place> places = spec.List("regions", kRegionsMax);
  std::vector<std::pair<std::string, std::size_t>> names;
  for (const Place& place : places) {
    world.regions.push_back(ReadRegion(place, problems));
    const std::string& name = world.regions.raw().back().name;
    if (!name.empty()) names.emplace_back(name, names.size());
  }
  if (places.empty()) spec.Report("regions", "at least one region");
  std::sort(names.begin(), names.end());
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i].first != names[i - 1].first) continue;
    const Place& place = places[std::min(names[i].second, places.size() - 1)];
    problems.Add({place.node->at, absl::StrCat(place.path, ".name"),
                  absl::StrCat(Quoted(names[i].first), " a second time"), "a name of its own", ""});
  }
  if (!places.empty()) CheckPopulation(world, {spec.Raw("regions"), spec.PathOf("regions")}, problems);
}

// Cells below zero are not known yet.
using Cells = std::vector<double>;

double ReadCell(const Place& place, Problems& problems) {
  if (place.node->kind == YamlNode::Kind::kNull) return -1;
  double ms = 0;
  const bool readable = place.node->kind == YamlNode::Kind::kScalar && !place.node->quoted &&
                        absl::SimpleAtod(place.node->text, &ms) && std::isfinite(ms);
  if (readable && ms >= 0 && ms <= kRttMsMax) return ms;
  problems.Add({place.node->at, place.path, DescribeYaml(*place.node),
                absl::StrCat("milliseconds from 0 to ", kRttMsMax, ", or ~ for a pair to be estimated"), ""});
  return -1;
}

void ReadMatrix(Mapping& rtt, std::size_t regions, Cells& cells, Problems& problems) {
  if (!rtt.Has("matrixMs")) return void(rtt.Raw("matrixMs"));
  const std::vector<Place> rows = rtt.List("matrixMs", kRegionsMax);
  const std::string shape = absl::StrCat(regions, " rows of ", regions, ", in the order of the regions");
  if (rows.size() != regions) return rtt.Report("matrixMs", shape);
  for (std::size_t from = 0; from < regions; ++from) {
    const Place& row = rows[from];
    if (row.node->kind != YamlNode::Kind::kSequence || row.node->items.size() != regions) {
      problems.Add({row.node->at, row.path, DescribeYaml(*row.node), shape, ""});
      continue;
    }
    for (std::size_t to = 0; to < regions; ++to) {
      cells[from * regions + to] =
          ReadCell({row.node->items[to], absl::StrCat(row.path, "[", to, "]")}, problems);
    }
  }
}

void ReadPairs(Mapping& rtt, const World& world, Cells& cells, Problems& problems) {
  const std::size_t regions = world.regions.size();
  const RegionNames names(world);
  std::vector<bool> listed(regions * regions);
  for (const Place& place : rtt.List("pairs", kYamlNodesMax)) {
    Mapping pair(place, problems);
    RegionId ends[2];
    const std::string_view keys[2] = {"from", "to"};
    for (int i = 0; i < 2; ++i) {
      if (!pair.Require(keys[i], "the name of a region")) continue;
      ends[i] = names.Read({pair.Raw(keys[i]), pair.PathOf(keys[i])}, problems);
    }
    pair.Require("rttMs", "milliseconds");
    const double ms = pair.Number("rttMs", -1, {0, kRttMsMax});
    pair.Finish();
    if (!ends[0].valid() || !ends[1].valid()) continue;
    const std::size_t there = ends[0].index() * regions + ends[1].index();
    const std::size_t back = ends[1].index() * regions + ends[0].index();
    if (listed[there]) {
      problems.Add({place.node->at, place.path, "a pair that is listed already", "each direction once", ""});
    }
    listed[there] = true;
    cells[there] = ms;
    if (!listed[back]) cells[back] = ms;
  }
}

void FillRtt(World& world, const Cells& cells, double within_ms) {
  const std::size_t regions = world.regions.size();
  world.rtt = RttMatrix(regions);
  for (std::size_t a = 0; a < regions; ++a) {
    for (std::size_t b = 0; b < regions; ++b) {
      const RegionId from(a);
      const RegionId to(b);
      const double there = cells[a * regions + b];
      const double ms = there >= 0 ? there : cells[b * regions + a];
      if (ms >= 0) {
        world.rtt.Set(from, to, ms);
      } else if (a == b) {
        world.rtt.Set(from, to, within_ms);
      } else {
        world.rtt.Set(from, to, EstimateRttMs(world.regions[from], world.regions[to]), RttSource::kEstimated);
      }
    }
  }
}

}  // namespace

RegionNames::RegionNames(const World& world) {
  for (std::size_t i = 0; i < world.regions.size(); ++i) {
    const std::string_view name = world.regions[RegionId(i)].name;
    sorted_.emplace_back(name, RegionId(i));
    words_.push_back(name);
  }
  std::sort(sorted_.begin(), sorted_.end());
}

RegionId RegionNames::Read(const Place& place, Problems& problems) const {
  const std::string_view text = place.node->text;
  const auto it =
      std::lower_bound(sorted_.begin(), sorted_.end(), text,
                       [](const auto& entry, std::string_view word) { return entry.first < word; });
  const bool scalar = place.node->kind == YamlNode::Kind::kScalar;
  if (scalar && it != sorted_.end() && it->first == text) return it->second;
  problems.Add({place.node->at, place.path, DescribeYaml(*place.node), "the name of a region of the world",
                problems.full() ? "" : DidYouMean(text, words_)});
  return RegionId();
}

std::optional<CanarySpec> ReadCanary(Mapping& spec) {
  Mapping canary = spec.Child("canary");
  if (!spec.Has("canary")) return std::nullopt;
  CanarySpec read;
  read.share = canary.Number("share", read.share, {0, 0.5, true});
  read.period = canary.Span("for", read.period, Seconds(10), Hours(24));
  canary.Finish();
  return read;
}

World ReadWorld(std::string_view name, Mapping& spec, Problems& problems) {
  World world;
  world.name = std::string(name);
  ReadRegions(spec, world, problems);
  const std::size_t regions = world.regions.size();
  Cells cells(regions * regions, -1);
  Mapping rtt = spec.Child("rtt");
  const double within_ms = rtt.Number("withinRegionMs", kWithinRegionMs, {0, 100});
  ReadMatrix(rtt, regions, cells, problems);
  ReadPairs(rtt, world, cells, problems);
  rtt.Finish();
  spec.Finish();
  if (problems.empty()) FillRtt(world, cells, within_ms);
  return world;
}

}  // namespace ringway
