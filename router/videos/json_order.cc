#include "router/videos/json_order.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway::router::videos {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

absl::Status Nested(const std::string& name) {
  return absl::InvalidArgumentError(
      absl::StrCat("field '", name.substr(0, 100), "' is nested; allowed: text, a number, true or false"));
}

absl::Status AddReference(VideoOrder& order, const Struct& reference) {
  const auto url = reference.fields().find("image_url");
  if (url == reference.fields().end() || url->second.kind_case() != Value::kStringValue) {
    return absl::InvalidArgumentError(
        "input_reference: allowed are a data URL, base64, or {\"image_url\": data URL}");
  }
  return AddPictureText(order, url->second.string_value());
}

absl::Status AddFields(VideoOrder& order, const Struct& fields, bool top);

absl::Status AddValue(VideoOrder& order, const std::string& name, const Value& value, bool top) {
  switch (value.kind_case()) {
    case Value::kStringValue:
      return AddField(order, name, value.string_value());
    case Value::kNumberValue:
      return AddField(order, name, absl::StrFormat("%.15g", value.number_value()));
    case Value::kBoolValue:
      return AddField(order, name, value.bool_value() ? "true" : "false");
    case Value::kStructValue:
      if (!top) return Nested(name);
      if (name == "input_reference") return AddReference(order, value.struct_value());
      if (name == "extra_body" || name == "nvext") return AddFields(order, value.struct_value(), false);
      return Nested(name);
    case Value::kListValue:
      return Nested(name);
    default:
      return absl::OkStatus();
  }
}

// In the order of their names, so that a refusal is the same each time.
absl::Status AddFields(VideoOrder& order, const Struct& fields, bool top) {
  std::map<std::string, const Value*> sorted;
  for (const auto& [name, value] : fields.fields()) sorted[name] = &value;
  for (const auto& [name, value] : sorted) {
    if (absl::Status added = AddValue(order, name, *value, top); !added.ok()) return added;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<VideoOrder> OrderOfJson(std::string_view body) {
  Struct fields;
  const auto read = google::protobuf::util::JsonStringToMessage(
      {body.data(), static_cast<std::size_t>(body.size())}, &fields);
  if (!read.ok()) return absl::InvalidArgumentError("the body is not a JSON object");
  VideoOrder order;
  if (absl::Status added = AddFields(order, fields, true); !added.ok()) return added;
  if (absl::Status complete = Complete(order); !complete.ok()) return complete;
  return order;
}

}  // namespace ringway::router::videos
