#include "engine/bundled_model.h"

#include <cstdlib>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ringway::engine {

absl::StatusOr<std::filesystem::path> FindBundledModel() {
  std::vector<std::filesystem::path> places;
  if (const char* named = std::getenv("RINGWAY_MODEL"); named != nullptr && *named != '\0') {
    places.emplace_back(named);
  } else {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) places.push_back(self.parent_path() / "../share/ringway/model");
    places.emplace_back(RINGWAY_WEIGHTS_DIR "/student");
    places.emplace_back(RINGWAY_WEIGHTS_DIR "/teacher");
  }
  std::string tried;
  for (const std::filesystem::path& place : places) {
    std::error_code error;
    if (std::filesystem::exists(place / "model_index.json", error)) return place.lexically_normal();
    absl::StrAppend(&tried, tried.empty() ? "" : ", ", place.lexically_normal().string());
  }
  return absl::NotFoundError(
      absl::StrCat("there is no model in ", tried, "; name one with --model or in RINGWAY_MODEL"));
}

}  // namespace ringway::engine
