#include "router/videos/json_order.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/json_reader.h"

namespace ringway::router::videos {
namespace {

// An order has kFieldsMax fields and, within one of them, as many again; a wrong one may show what is wrong
// with it. Its bytes are the picture's, and bounded by the front.
constexpr JsonLimits kLimits = {.depth_max = 4, .values_max = 4 * kFieldsMax};

absl::Status Nested(const std::string& name) {
  return absl::InvalidArgumentError(
      absl::StrCat("field '", name.substr(0, 100), "' is nested; allowed: text, a number, true or false"));
}

absl::Status AddReference(VideoOrder& order, const Json& reference) {
  const Json* url = reference.Find("image_url");
  if (url == nullptr || url->string() == nullptr) {
    return absl::InvalidArgumentError(
        "input_reference: allowed are a data URL, base64, or {\"image_url\": data URL}");
  }
  return AddPictureText(order, *url->string());
}

absl::Status AddFields(VideoOrder& order, const Json& fields, bool top);

absl::Status AddValue(VideoOrder& order, const std::string& name, const Json& value, bool top) {
  if (const std::string* text = value.string()) return AddField(order, name, *text);
  if (const std::int64_t* whole = value.integer()) return AddField(order, name, absl::StrCat(*whole));
  if (value.IsNumber()) return AddField(order, name, absl::StrFormat("%.15g", value.number()));
  if (const bool* flag = value.boolean()) return AddField(order, name, *flag ? "true" : "false");
  if (value.is_null()) return absl::OkStatus();
  if (value.array() != nullptr || !top) return Nested(name);
  if (name == "input_reference") return AddReference(order, value);
  if (name == "extra_body" || name == "nvext") return AddFields(order, value, false);
  return Nested(name);
}

// In the order of their names, so that a refusal is the same each time.
absl::Status AddFields(VideoOrder& order, const Json& fields, bool top) {
  std::map<std::string_view, const Json::Member*> sorted;
  for (const Json::Member& member : *fields.object()) sorted[member.first] = &member;
  for (const auto& [name, member] : sorted) {
    absl::Status added = AddValue(order, member->first, member->second, top);
    if (!added.ok()) return added;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<VideoOrder> OrderOfJson(std::string_view body) {
  const absl::StatusOr<Json> fields = Json::Parse(body, "the body", kLimits);
  if (!fields.ok()) return fields.status();
  if (fields->object() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the body is not a JSON object but ", std::string(fields->KindName())));
  }
  VideoOrder order;
  if (absl::Status added = AddFields(order, *fields, true); !added.ok()) return added;
  if (absl::Status complete = Complete(order); !complete.ok()) return complete;
  return order;
}

}  // namespace ringway::router::videos
