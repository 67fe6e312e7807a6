#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"
#include "engine/checkpoint/mapped_file.h"
#include "engine/checkpoint/model_directory.h"

namespace ringway::engine {
namespace {

constexpr std::size_t kConfigBytesMax = 4u << 20;
constexpr std::size_t kListMax = 64;

bool InRange(const Json& value, std::int64_t min, std::int64_t max) {
  return value.integer() != nullptr && *value.integer() >= min && *value.integer() <= max;
}

std::string RangeText(std::int64_t min, std::int64_t max) {
  return absl::StrCat("an integer from ", min, " to ", max);
}

}  // namespace

absl::StatusOr<Config> Config::Read(const std::filesystem::path& file) {
  const absl::StatusOr<std::string> text = ReadSmallFile(file, kConfigBytesMax);
  if (!text.ok()) return text.status();
  absl::StatusOr<Json> json = Json::Parse(*text, file.string());
  if (!json.ok()) return json.status();
  if (json->object() == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat(file.string(), ": must be an object, is ", AbslView(json->KindName())));
  return Config(*std::move(json), file.string());
}

// Absent and null both mean the default.
const Json* Config::Find(std::string_view key) const {
  const Json* value = json_.Find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void Config::Refuse(std::string_view key, std::string_view allowed) {
  if (!status_.ok()) return;
  const Json* value = Find(key);
  std::string found(value == nullptr ? "nothing" : value->KindName());
  if (value != nullptr && value->integer() != nullptr) found = absl::StrCat(*value->integer());
  if (value != nullptr && value->string() != nullptr)
    found = absl::StrCat("\"", value->string()->substr(0, 100), "\"");
  status_ = absl::InvalidArgumentError(
      absl::StrCat(what_, ": \"", AbslView(key), "\" is ", found, "; allowed: ", AbslView(allowed)));
}

std::int64_t Config::Integer(std::string_view key, std::int64_t fallback, std::int64_t min,
                             std::int64_t max) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (InRange(*value, min, max)) return *value->integer();
  Refuse(key, RangeText(min, max));
  return fallback;
}

double Config::Number(std::string_view key, double fallback) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (value->IsNumber()) return value->number();
  Refuse(key, "a number");
  return fallback;
}

bool Config::Boolean(std::string_view key, bool fallback) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (value->boolean() != nullptr) return *value->boolean();
  Refuse(key, "true or false");
  return fallback;
}

std::string Config::Text(std::string_view key, std::string_view fallback) {
  const Json* value = Find(key);
  if (value == nullptr) return std::string(fallback);
  if (value->string() != nullptr) return *value->string();
  Refuse(key, "a string");
  return std::string(fallback);
}

std::vector<std::int64_t> Config::Integers(std::string_view key, const std::vector<std::int64_t>& fallback,
                                           std::size_t count, std::int64_t min, std::int64_t max) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (InRange(*value, min, max)) return std::vector<std::int64_t>(count == 0 ? 1 : count, *value->integer());
  const std::string allowed = absl::StrCat(count == 0 ? std::string("1 to 64") : absl::StrCat(count),
                                           " numbers, each ", RangeText(min, max));
  const Json::Array* items = value->array();
  if (items == nullptr || items->empty() || items->size() > kListMax ||
      (count != 0 && items->size() != count)) {
    Refuse(key, allowed);
    return fallback;
  }
  std::vector<std::int64_t> numbers;
  for (const Json& item : *items) {
    if (!InRange(item, min, max)) {
      Refuse(key, allowed);
      return fallback;
    }
    numbers.push_back(*item.integer());
  }
  return numbers;
}

std::vector<bool> Config::Booleans(std::string_view key, const std::vector<bool>& fallback,
                                   std::size_t count) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (value->boolean() != nullptr) return std::vector<bool>(count == 0 ? 1 : count, *value->boolean());
  const Json::Array* items = value->array();
  std::vector<bool> booleans;
  for (std::size_t i = 0; items != nullptr && i < items->size() && i <= kListMax; ++i)
    if (const bool* boolean = (*items)[i].boolean()) booleans.push_back(*boolean);
  const bool whole = items != nullptr && !items->empty() && items->size() <= kListMax &&
                     booleans.size() == items->size() && (count == 0 || items->size() == count);
  if (whole) return booleans;
  Refuse(key, absl::StrCat(count == 0 ? std::string("1 to 64") : absl::StrCat(count), " of true and false"));
  return fallback;
}

std::vector<std::string> Config::Texts(std::string_view key, const std::vector<std::string>& fallback) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  const Json::Array* items = value->array();
  std::vector<std::string> texts;
  for (std::size_t i = 0; items != nullptr && i < items->size() && i <= kListMax; ++i)
    if (const std::string* text = (*items)[i].string()) texts.push_back(*text);
  if (items != nullptr && !items->empty() && items->size() <= kListMax && texts.size() == items->size())
    return texts;
  Refuse(key, "1 to 64 strings");
  return fallback;
}

}  // namespace ringway::engine
