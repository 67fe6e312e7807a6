#include "engine/checkpoint/inspect.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/absl_view.h"
#include "engine/checkpoint/model_directory.h"
#include "engine/checkpoint/weights.h"

namespace ringway::engine {
namespace {

std::string CountText(double n) {
  if (n >= 1e9) return absl::StrFormat("%.2f G", n / 1e9);
  if (n >= 1e6) return absl::StrFormat("%.2f M", n / 1e6);
  if (n >= 1e3) return absl::StrFormat("%.1f k", n / 1e3);
  return absl::StrFormat("%.0f", n);
}

// "down_blocks.0" of "down_blocks.0.resnets.1.conv1.weight", "conv_in" of "conv_in.bias".
std::string GroupOf(std::string_view name) {
  std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::string(name);
  const std::size_t next = name.find('.', dot + 1);
  if (next != std::string_view::npos && name[dot + 1] >= '0' && name[dot + 1] <= '9') dot = next;
  return std::string(name.substr(0, dot));
}

void AppendWeights(const Weights& weights, const InspectOptions& options, std::string& out) {
  std::map<std::string, std::int64_t> by_group;
  std::map<std::string_view, std::int64_t> by_dtype;
  std::int64_t parameters = 0;
  std::size_t bytes = 0;
  const std::vector<const StoredTensor*> all = weights.All();
  for (const StoredTensor* t : all) {
    by_group[GroupOf(t->name)] += t->elements();
    by_dtype[FileDTypeName(t->dtype)] += t->elements();
    parameters += t->elements();
    bytes += t->end - t->begin;
  }
  absl::StrAppend(&out, "  weights      ", weights.description(), "\n");
  absl::StrAppendFormat(&out, "  parameters   %s in %d tensors, %sB (",
                        CountText(static_cast<double>(parameters)), all.size(),
                        CountText(static_cast<double>(bytes)));
  std::string separator;
  for (const auto& [dtype, count] : by_dtype) {
    absl::StrAppend(&out, separator, AbslView(dtype), " ", CountText(static_cast<double>(count)));
    separator = ", ";
  }
  absl::StrAppend(&out, ")\n");
  for (const auto& [group, count] : by_group)
    absl::StrAppendFormat(&out, "    %-40s %s\n", group, CountText(static_cast<double>(count)));
  if (!options.list_tensors) return;
  for (const StoredTensor* t : all)
    absl::StrAppendFormat(&out, "    %-80s %-4s %s\n", t->name, FileDTypeName(t->dtype), t->ShapeText());
}

void AppendConfig(const Config& config, std::string& out) {
  for (const auto& [key, value] : *config.json().object()) {
    std::string text;
    if (value.string() != nullptr) text = value.string()->substr(0, 100);
    if (value.boolean() != nullptr) text = *value.boolean() ? "true" : "false";
    if (value.IsNumber()) text = absl::StrCat(value.number());
    if (const Json::Array* items = value.array()) {
      for (std::size_t i = 0; i < items->size() && i < 16; ++i) {
        const Json& item = (*items)[i];
        absl::StrAppend(&text, i > 0 ? ", " : "",
                        item.string() != nullptr ? *item.string() : absl::StrCat(item.number()));
      }
    }
    if (!text.empty() && key[0] != '_')
      absl::StrAppendFormat(&out, "    %-40s %s\n", key.substr(0, 100), text);
  }
}

absl::Status AppendComponent(const Component& component, const InspectOptions& options, std::string& out) {
  absl::StrAppend(&out, component.name, "  ", component.class_name,
                  component.library.empty() ? "" : absl::StrCat("  (", component.library, ")"), "\n");
  const absl::StatusOr<Config> config = ReadComponentConfig(component);
  if (!config.ok() && !absl::IsNotFound(config.status())) return config.status();
  if (config.ok()) AppendConfig(*config, out);
  const absl::StatusOr<Weights> weights = Weights::OpenComponent(component.directory);
  if (absl::IsNotFound(weights.status())) return absl::OkStatus();  // schedulers and tokenizers have none
  if (!weights.ok()) return weights.status();
  AppendWeights(*weights, options, out);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> InspectCheckpoint(const std::filesystem::path& path,
                                              const InspectOptions& options) {
  std::string out;
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    const absl::StatusOr<Weights> weights = Weights::Open(path);
    if (!weights.ok()) return weights.status();
    AppendWeights(*weights, options, out);
    return out;
  }
  const absl::StatusOr<ModelDirectory> model = ModelDirectory::Open(path);
  if (!model.ok()) return model.status();
  if (!model->pipeline.empty()) absl::StrAppend(&out, model->pipeline, "  ", path.string(), "\n");
  for (const Component& component : model->components)
    if (absl::Status status = AppendComponent(component, options, out); !status.ok()) return status;
  return out;
}

}  // namespace ringway::engine
