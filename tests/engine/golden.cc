#include "tests/engine/golden.h"

#include "absl/strings/numbers.h"
#include "engine/checkpoint/mapped_file.h"
#include "engine/checkpoint/safetensors.h"
#include "tests/engine/random_tensors.h"

namespace ringway::engine {

Golden ReadGolden(const std::string& name) {
  const std::string path = std::string(RINGWAY_SOURCE_DIR) + "/tests/engine/golden/" + name + ".safetensors";
  const auto file = MappedFile::Open(path);
  RINGWAY_CHECK(file.ok());
  const auto header = ParseSafetensors(file->bytes(), path);
  RINGWAY_CHECK(header.ok() && header->tensors.size() == 1);
  Golden golden;
  golden.kept.resize(static_cast<std::size_t>(header->tensors[0].elements()));
  RINGWAY_CHECK(ReadFloats(file->bytes(), header->tensors[0], 0, golden.kept).ok());
  for (const auto& [key, value] : header->metadata) {
    if (key == "config") golden.config = value;
    if (key == "every") RINGWAY_CHECK(absl::SimpleAtoi(value, &golden.every));
    if (key == "total") RINGWAY_CHECK(absl::SimpleAtoi(value, &golden.total));
    if (key == "torch_bf16") RINGWAY_CHECK(absl::SimpleAtod(value, &golden.torch_bf16));
    if (key == "names") RINGWAY_CHECK(absl::SimpleAtoi(value, &golden.names));
  }
  return golden;
}

Config ConfigOf(const Golden& golden) {
  return Config(Json::Parse(golden.config, "golden").value(), "golden");
}

Config ConfigOf(const Golden& golden, const char* name) {
  const Json all = Json::Parse(golden.config, "golden").value();
  const Json* part = all.Find(name);
  RINGWAY_CHECK(part != nullptr);
  return Config(*part, name);
}

double DistanceToGolden(const Golden& golden, std::span<const float> all) {
  RINGWAY_CHECK(all.size() == golden.total);
  std::vector<float> kept;
  for (std::size_t i = 0; i < all.size(); i += golden.every) kept.push_back(all[i]);
  return RelativeDistance(kept, golden.kept);
}

}  // namespace ringway::engine
