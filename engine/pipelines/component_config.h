// What every pipeline does with the configurations of a model's components and the numbers of a request.
//
// A configuration is read as a whole or not at all: the first thing that is wrong with the component, its
// file or its values is the error, and what was to hold the result stays as it was. Numbers of a request are
// held against bounds that belong to their range. Pure but for the reading of the file; no state, any thread.
#ifndef RINGWAY_ENGINE_PIPELINES_COMPONENT_CONFIG_H_
#define RINGWAY_ENGINE_PIPELINES_COMPONENT_CONFIG_H_

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/pipelines/pipeline.h"

namespace ringway::engine {

// Reads the configuration of a component that has to be of `class_name` into `to`, which an error leaves as
// it was.
template <typename T>
absl::Status ReadInto(const ModelDirectory& model, std::string_view name, std::string_view class_name,
                      absl::StatusOr<T> (*read)(Config), T& to) {
  const absl::StatusOr<Component> component = NeedComponent(model, name, class_name);
  if (!component.ok()) return component.status();
  absl::StatusOr<Config> config = ReadComponentConfig(*component);
  if (!config.ok()) return config.status();
  absl::StatusOr<T> value = read(*std::move(config));
  if (!value.ok()) return value.status();
  to = *std::move(value);
  return absl::OkStatus();
}

// InvalidArgument that names `what`, its value and what is allowed; the bounds themselves are.
inline absl::Status WithinRange(const char* what, double value, double low, double high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " is ", value, "; allowed are ", low, " to ", high));
}

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_PIPELINES_COMPONENT_CONFIG_H_
