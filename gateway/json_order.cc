#include "gateway/json_order.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/json_reader.h"
#include "gateway/jobs/field_error.h"

namespace ringway::gateway {
namespace {

// An order has kFieldsMax fields and, within one of them, as many again; a wrong one may show what is wrong
// with it. Its bytes are the picture's, and bounded by the front.
constexpr JsonLimits kLimits = {.depth_max = 4, .values_max = 4 * kFieldsMax};

absl::Status Nested(const std::string& name) {
  return FieldError(name, absl::StrCat("field '", name.substr(0, 100),
                                       "' is nested; allowed: text, a number, true or false"));
}

// A field whose text is somewhere within it, as `name` of an array or an object; empty: it is not.
const std::string* PictureText(const Json& value) {
  if (value.array() != nullptr && value.array()->size() == 1) return PictureText(value.array()->front());
  if (value.string() != nullptr) return value.string();
  const Json* const url = value.object() != nullptr ? value.Find("image_url") : nullptr;
  return url != nullptr ? url->string() : nullptr;
}

// The texts of an array, with commas between them; nothing: it holds something else.
std::optional<std::string> Listed(const Json& value) {
  std::string list;
  if (value.array() == nullptr) return std::nullopt;
  for (const Json& item : *value.array()) {
    if (item.string() == nullptr) return std::nullopt;
    absl::StrAppend(&list, list.empty() ? "" : ",", *item.string());
  }
  return list;
}

class FieldWalk {
 public:
  FieldWalk(FieldNames names, const AddFieldFn& add) : names_(names), add_(add) {}

  // In the order of their names, so that a refusal is the same each time.
  absl::Status AddAll(const Json& fields, bool top) const {
    std::map<std::string_view, const Json::Member*> sorted;
    for (const Json::Member& member : *fields.object()) sorted[member.first] = &member;
    for (const auto& [name, member] : sorted) {
      absl::Status added = AddValue(member->first, member->second, top);
      if (!added.ok()) return added;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddValue(const std::string& name, const Json& value, bool top) const {
    if (const std::string* text = value.string()) return add_(name, *text);
    if (const std::int64_t* whole = value.integer()) return add_(name, absl::StrCat(*whole));
    if (value.IsNumber()) return add_(name, absl::StrFormat("%.15g", value.number()));
    if (const bool* flag = value.boolean()) return add_(name, *flag ? "true" : "false");
    if (value.is_null()) return absl::OkStatus();
    if (std::ranges::find(names_.pictures, name) != names_.pictures.end()) {
      if (const std::string* text = PictureText(value)) return add_(name, *text);
      return FieldError(name,
                        absl::StrCat(name, ": allowed are a data URL, base64, or {\"image_url\": data URL}"));
    }
    if (std::ranges::find(names_.lists, name) != names_.lists.end()) {
      if (const auto list = Listed(value)) return add_(name, *list);
    }
    const bool opens = top && value.object() != nullptr && (name == "extra_body" || name == "nvext");
    return opens ? AddAll(value, false) : Nested(name);
  }

  const FieldNames names_;
  const AddFieldFn& add_;
};

}  // namespace

absl::Status ReadJsonFields(std::string_view body, FieldNames names, const AddFieldFn& add) {
  const absl::StatusOr<Json> fields = Json::Parse(body, "the body", kLimits);
  if (!fields.ok()) return FieldError(kBodyField, std::string(fields.status().message()));
  if (fields->object() == nullptr) {
    return FieldError(kBodyField,
                      absl::StrCat("the body is not a JSON object but ", std::string(fields->KindName())));
  }
  return FieldWalk(names, add).AddAll(*fields, true);
}

}  // namespace ringway::gateway
