#include "engine/bundled_pictures.h"

#include <cstdlib>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/checkpoint/model_directory.h"

namespace ringway::engine {
namespace {

namespace fs = std::filesystem;

constexpr char kIndex[] = "model_index.json", kAbout[] = "about.json", kConfig[] = "config.json",
               kAdapterEnding[] = ".safetensors";

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// A file, or a directory that a model or a part of one could be opened from.
bool IsModel(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) || Exists(path / kIndex) || Exists(path / kConfig);
}

bool HasModel(const fs::path& folder) {
  return Exists(folder / "student" / kIndex) || Exists(folder / "teacher" / kIndex);
}

// What lies in a part of the folder, by the names that `name_of` gives; the empty name leaves an entry out.
std::map<std::string, std::string> Named(const char* part, std::string (*name_of)(const fs::path&)) {
  std::map<std::string, std::string> named;
  const absl::StatusOr<fs::path> folder = FindScenes();
  if (!folder.ok()) return named;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder / part, error))
    if (const std::string name = name_of(entry.path()); !name.empty()) named[name] = entry.path().string();
  return named;
}

std::string NamedOr(const std::map<std::string, std::string>& named, const std::string& name) {
  const auto found = named.find(name);
  return found == named.end() || IsModel(name) ? name : found->second;
}

}  // namespace

absl::StatusOr<fs::path> FindScenes() {
  std::vector<fs::path> places;
  if (const char* named = std::getenv("RINGWAY_SCENES"); named != nullptr && *named != '\0') {
    places.emplace_back(named);
  } else {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (!error) places.push_back(self.parent_path() / "../share/ringway/scenes");
    places.emplace_back(RINGWAY_WEIGHTS_DIR "/scenes");
  }
  std::string tried;
  for (const fs::path& place : places) {
    if (HasModel(place)) return place.lexically_normal();
    absl::StrAppend(&tried, tried.empty() ? "" : ", ", place.lexically_normal().string());
  }
  return absl::NotFoundError(absl::StrCat("the bundled picture model is not installed: no student/", kIndex,
                                          " nor teacher/", kIndex, " in ", tried,
                                          "; name a model with --model, or its folder in RINGWAY_SCENES"));
}

bool IsBundledPictureModel(const std::string& name) {
  return (name == kScenes || name == kScenesTeacher) && !IsModel(name);
}

absl::StatusOr<fs::path> FindPictureModel(const std::string& name) {
  if (!IsBundledPictureModel(name)) return fs::path(name);
  const absl::StatusOr<fs::path> folder = FindScenes();
  if (!folder.ok()) return folder.status();
  if (name == kScenes && Exists(*folder / "student" / kIndex)) return *folder / "student";
  if (Exists(*folder / "teacher" / kIndex)) return *folder / "teacher";
  return absl::NotFoundError(
      absl::StrCat(folder->string(), ": has no teacher/", kIndex, "; ", kScenes, " is there, its student"));
}

std::map<std::string, std::string> BundledModels() {
  std::map<std::string, std::string> models;
  for (const char* name : {kScenes, kScenesTeacher})
    if (const absl::StatusOr<fs::path> found = FindPictureModel(name); found.ok())
      models[name] = found->string();
  return models;
}

absl::StatusOr<std::map<std::string, std::string>> AboutBundledPictures() {
  std::map<std::string, std::string> about;
  const absl::StatusOr<fs::path> folder = FindScenes();
  if (!folder.ok() || !Exists(*folder / kAbout)) return about;
  absl::StatusOr<Config> file = Config::Read(*folder / kAbout);
  if (!file.ok()) return file.status();
  for (const auto& [name, value] : *file->json().object()) about[name] = file->Text(name, "");
  if (!file->status().ok()) return file->status();
  return about;
}

std::map<std::string, std::string> BundledAdapters() {
  return Named("lora", [](const fs::path& path) {
    return path.extension() == kAdapterEnding ? path.stem().string() : std::string();
  });
}

std::map<std::string, std::string> BundledControls() {
  return Named("control", [](const fs::path& path) {
    return Exists(path / kConfig) ? path.filename().string() : std::string();
  });
}

std::string BundledAdapterOr(const std::string& name) { return NamedOr(BundledAdapters(), name); }
std::string BundledControlOr(const std::string& name) { return NamedOr(BundledControls(), name); }

}  // namespace ringway::engine
