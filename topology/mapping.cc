#include "topology/mapping.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/absl_view.h"
#include "topology/spelling.h"

namespace ringway {
namespace {

constexpr std::string_view kNameRule =
    "a name of 1 to 63 letters, digits, '.', '_', ':' or '-' that starts with a letter or digit";

const YamlNode& EmptyNode() {
  static const YamlNode empty;
  return empty;
}

std::string DescribeRange(Range range) {
  if (std::isinf(range.max)) {
    return absl::StrCat("a number ", range.min_open ? "above " : "of at least ", range.min);
  }
  if (range.min_open) return absl::StrCat("a number above ", range.min, " and at most ", range.max);
  return absl::StrCat("a number from ", range.min, " to ", range.max);
}

}  // namespace

bool IsName(std::string_view text) {
  if (text.empty() || text.size() > 63 || !absl::ascii_isalnum(text[0])) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-' || c == ':';
  });
}

std::string ReadName(const Place& place, Problems& problems) {
  if (place.node->kind == YamlNode::Kind::kScalar && IsName(place.node->text)) return place.node->text;
  problems.Add({place.node->at, place.path, DescribeYaml(*place.node), std::string(kNameRule), ""});
  return "";
}

Mapping::Mapping(const Place& place, Problems& problems)
    : place_(place), at_(place.node->at), problems_(problems) {
  const auto kind = place_.node->kind;
  if (kind == YamlNode::Kind::kMapping || kind == YamlNode::Kind::kNull) return;
  problems_.Add({place_.node->at, place_.path, DescribeYaml(*place_.node), "a mapping of fields", ""});
}

std::string Mapping::PathOf(std::string_view key) const {
  return place_.path.empty() ? std::string(key) : absl::StrCat(place_.path, ".", AbslView(key));
}

const YamlNode::Field* Mapping::Peek(std::string_view key) const {
  for (const YamlNode::Field& field : place_.node->fields) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

void Mapping::Learn(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
}

const YamlNode* Mapping::Raw(std::string_view key) {
  Learn(key);
  const YamlNode::Field* field = Peek(key);
  return field == nullptr ? nullptr : field->value;
}

void Mapping::Report(std::string_view key, std::string allowed, std::string hint) {
  const YamlNode::Field* field = Peek(key);
  const Mark mark = field == nullptr ? at() : field->value->at;
  const std::string found = field == nullptr ? "nothing" : DescribeYaml(*field->value);
  problems_.Add({mark, PathOf(key), found, std::move(allowed), std::move(hint)});
}

void Mapping::Renamed(std::string_view before, std::string_view now) {
  if (Peek(before) == nullptr) return;
  Learn(before);
  Report(before, "no such key", absl::StrCat("it is called ", AbslView(now), " now"));
}

bool Mapping::Require(std::string_view key, std::string_view allowed) {
  Learn(key);
  if (Peek(key) != nullptr) return true;
  Report(key, std::string(allowed), "the field is required");
  return false;
}

const YamlNode* Mapping::Scalar(std::string_view key, std::string_view allowed) {
  const YamlNode* node = Raw(key);
  if (node == nullptr || node->kind == YamlNode::Kind::kScalar) return node;
  Report(key, std::string(allowed));
  return nullptr;
}

double Mapping::Number(std::string_view key, double fallback, Range range) {
  const std::string allowed = DescribeRange(range);
  const YamlNode* node = Scalar(key, allowed);
  if (node == nullptr) return fallback;
  double value = 0;
  const bool readable = !node->quoted && absl::SimpleAtod(node->text, &value) && std::isfinite(value);
  const bool low = value < range.min || (range.min_open && value == range.min);
  if (readable && !low && value <= range.max) return value;
  const bool percent = readable && range.max == 1 && value > 1 && value <= 100;
  Report(key, allowed, percent ? "shares are written as 0.8, not 80" : "");
  return fallback;
}

std::int64_t Mapping::Integer(std::string_view key, std::int64_t fallback, std::int64_t min,
                              std::int64_t max) {
  const std::string allowed = absl::StrCat("a whole number from ", min, " to ", max);
  const YamlNode* node = Scalar(key, allowed);
  if (node == nullptr) return fallback;
  std::int64_t value = 0;
  if (!node->quoted && absl::SimpleAtoi(node->text, &value) && value >= min && value <= max) return value;
  Report(key, allowed);
  return fallback;
}

bool Mapping::Flag(std::string_view key, bool fallback) {
  const YamlNode* node = Scalar(key, "true or false");
  if (node == nullptr) return fallback;
  if (node->text == "true") return true;
  if (node->text == "false") return false;
  Report(key, "true or false");
  return fallback;
}

Duration Mapping::Span(std::string_view key, Duration fallback, Duration min, Duration max) {
  const std::string allowed = absl::StrCat("a duration with its unit, for example 250ms or 5s, from ",
                                           absl::FormatDuration(min), " to ", absl::FormatDuration(max));
  const YamlNode* node = Scalar(key, allowed);
  if (node == nullptr) return fallback;
  Duration value;
  double bare = 0;
  const bool unit_missing = absl::SimpleAtod(node->text, &bare) && bare != 0;
  if (!unit_missing && ParseDuration(node->text, &value) && value >= min && value <= max) return value;
  Report(key, allowed, unit_missing ? "the unit is missing" : "");
  return fallback;
}

std::string Mapping::Name(std::string_view key) {
  if (!Require(key, kNameRule)) return "";
  return ReadName({Raw(key), PathOf(key)}, problems_);
}

std::string Mapping::Text(std::string_view key, std::string_view fallback) {
  constexpr std::string_view kAllowed = "one line of text of at most 500 bytes";
  const YamlNode* node = Scalar(key, kAllowed);
  if (node == nullptr) return std::string(fallback);
  const bool printable = std::none_of(node->text.begin(), node->text.end(),
                                      [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (node->text.size() <= 500 && printable) return node->text;
  Report(key, std::string(kAllowed));
  return std::string(fallback);
}

std::size_t Mapping::Choice(std::string_view key, std::size_t fallback,
                            const std::vector<std::string_view>& words) {
  const std::string allowed = absl::StrJoin(
      words, ", ", [](std::string* out, std::string_view word) { absl::StrAppend(out, AbslView(word)); });
  const YamlNode* node = Scalar(key, allowed);
  if (node == nullptr) return fallback;
  const auto it = std::find(words.begin(), words.end(), node->text);
  if (it != words.end()) return static_cast<std::size_t>(it - words.begin());
  Report(key, allowed, DidYouMean(node->text, words));
  return fallback;
}

std::vector<Place> Mapping::List(std::string_view key, std::size_t count_max) {
  std::vector<Place> places;
  const YamlNode* node = Raw(key);
  if (node == nullptr || node->kind == YamlNode::Kind::kNull) return places;
  const std::string allowed = absl::StrCat("a list of at most ", count_max);
  if (node->kind != YamlNode::Kind::kSequence || node->items.size() > count_max) Report(key, allowed);
  const std::size_t count = std::min(node->items.size(), count_max);
  places.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    places.push_back({node->items[i], absl::StrCat(PathOf(key), "[", i, "]")});
  }
  return places;
}

Mapping Mapping::Child(std::string_view key) {
  const YamlNode* node = Raw(key);
  Mapping child({node == nullptr ? &EmptyNode() : node, PathOf(key)}, problems_);
  if (node == nullptr) child.at_ = at_;  // what is missing inside is reported at the parent
  return child;
}

void Mapping::Finish() {
  const std::vector<std::string_view> known(known_.begin(), known_.end());
  for (const YamlNode::Field& field : place_.node->fields) {
    if (std::find(known_.begin(), known_.end(), field.key) != known_.end()) continue;
    problems_.Add({field.key_at, place_.path, absl::StrCat("the unknown key ", Quoted(field.key)),
                   absl::StrJoin(known_, ", "), problems_.full() ? "" : DidYouMean(field.key, known)});
  }
}

}  // namespace ringway
