#include "engine/checkpoint/model_directory.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/checkpoint/plain_name.h"

namespace ringway::engine {
namespace {

bool Exists(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// Parts that no picture is drawn with: many who publish a model leave them out.
bool IsOptional(std::string_view component) {
  return component == "safety_checker" || component == "feature_extractor" || component == "image_encoder";
}

absl::StatusOr<ModelDirectory> OpenSingleComponent(const std::filesystem::path& root) {
  absl::StatusOr<Config> config = Config::Read(root / "config.json");
  if (!config.ok()) return config.status();
  ModelDirectory model;
  model.root = root;
  const std::filesystem::path named = root.has_filename() ? root : root.parent_path();
  // transformers' configurations name their class differently from diffusers'.
  std::string class_name = config->Text("_class_name", "");
  if (class_name.empty()) class_name = config->Texts("architectures", {""}).front();
  if (!config->status().ok()) return config->status();
  model.components.push_back({named.filename().string(), "", class_name, root});
  return model;
}

}  // namespace

absl::StatusOr<ModelDirectory> ModelDirectory::Open(const std::filesystem::path& root) {
  const std::filesystem::path index = root / "model_index.json";
  if (!Exists(index)) {
    if (Exists(root / "config.json")) return OpenSingleComponent(root);
    return absl::NotFoundError(absl::StrCat(
        root.string(), ": is not a model directory: neither model_index.json nor config.json is in it"));
  }
  absl::StatusOr<Config> config = Config::Read(index);
  if (!config.ok()) return config.status();
  ModelDirectory model;
  model.root = root;
  model.pipeline = config->Text("_class_name", "");
  if (!config->status().ok()) return config->status();
  for (const auto& [name, value] : *config->json().object()) {
    const Json::Array* pair = value.array();
    if (pair == nullptr || pair->size() != 2 || (*pair)[1].string() == nullptr ||
        (*pair)[0].string() == nullptr)
      continue;  // a setting of the pipeline, or an absent component ([null, null])
    if (!IsPlainName(name))
      return absl::InvalidArgumentError(absl::StrCat(index.string(), ": component \"", name.substr(0, 100),
                                                     "\" is not the plain name of a directory"));
    if (!Exists(root / name) && IsOptional(name)) continue;
    if (!Exists(root / name))
      return absl::NotFoundError(absl::StrCat(index.string(), ": names the component \"", name,
                                              "\", but there is no such directory"));
    model.components.push_back({name, *(*pair)[0].string(), *(*pair)[1].string(), root / name});
  }
  return model;
}

const Component* ModelDirectory::Find(std::string_view name) const {
  for (const Component& component : components)
    if (component.name == name) return &component;
  return nullptr;
}

absl::StatusOr<Config> ReadComponentConfig(const Component& component) {
  for (const char* file : {"config.json", "scheduler_config.json", "preprocessor_config.json"})
    if (Exists(component.directory / file)) return Config::Read(component.directory / file);
  return absl::NotFoundError(absl::StrCat(component.directory.string(), ": holds no configuration"));
}

}  // namespace ringway::engine
