// A model as diffusers lays it out: model_index.json names the components, each in a directory of its own.
//
//   model_index.json   {"_class_name": pipeline, component: [library, class], ...}
//   <component>/config.json (a scheduler: scheduler_config.json) and its weights (weights.h)
//
// A directory without model_index.json that holds a config.json is a single component, named after itself.
// Only what lies in the directory is read: names with a slash are refused, files of configuration are at most
// 4 MiB. Config is the reading end of a config.json: it asks for a value by name within bounds, with a
// default, and the first thing that is wrong stays as its status, so that a network reads all its settings
// and then looks once.
#ifndef RINGWAY_ENGINE_CHECKPOINT_MODEL_DIRECTORY_H_
#define RINGWAY_ENGINE_CHECKPOINT_MODEL_DIRECTORY_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/json_reader.h"

namespace ringway::engine {

class Config {
 public:
  Config(Json json, std::string what) : json_(std::move(json)), what_(std::move(what)) {}
  static absl::StatusOr<Config> Read(const std::filesystem::path& file);

  std::int64_t Integer(std::string_view key, std::int64_t fallback, std::int64_t min, std::int64_t max);
  double Number(std::string_view key, double fallback);
  bool Boolean(std::string_view key, bool fallback);
  std::string Text(std::string_view key, std::string_view fallback);
  // An array of integers; a single integer stands for `count` equal ones, and the array must have `count`
  // items unless count is 0.
  std::vector<std::int64_t> Integers(std::string_view key, const std::vector<std::int64_t>& fallback,
                                     std::size_t count, std::int64_t min, std::int64_t max);
  // An array of `count` booleans, or 1 to 64 of them where count is 0; a single one stands for `count` equal
  // ones.
  std::vector<bool> Booleans(std::string_view key, const std::vector<bool>& fallback, std::size_t count);
  std::vector<std::string> Texts(std::string_view key, const std::vector<std::string>& fallback);

  const Json& json() const { return json_; }
  const std::string& what() const { return what_; }
  // The first thing that was wrong: file, key, what was found, what is allowed.
  const absl::Status& status() const { return status_; }
  void Refuse(std::string_view key, std::string_view allowed);

 private:
  const Json* Find(std::string_view key) const;
  Json json_;
  std::string what_;
  absl::Status status_;
};

struct Component {
  std::string name;        // "unet"
  std::string library;     // "diffusers"
  std::string class_name;  // "UNetSpatioTemporalConditionModel"
  std::filesystem::path directory;
};

struct ModelDirectory {
  std::filesystem::path root;
  std::string pipeline;  // "StableVideoDiffusionPipeline"; empty for a single component
  std::vector<Component> components;

  static absl::StatusOr<ModelDirectory> Open(const std::filesystem::path& root);
  const Component* Find(std::string_view name) const;
};

// The configuration of a component, whichever file it is in; NotFound when it has none (a tokenizer).
absl::StatusOr<Config> ReadComponentConfig(const Component& component);

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_CHECKPOINT_MODEL_DIRECTORY_H_
