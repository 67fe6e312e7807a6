#include "core/json.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway {

JsonWriter& JsonWriter::Open(char open, char close) {
  Separate();
  text_.push_back(open);
  levels_.push_back({close});
  return *this;
}

JsonWriter& JsonWriter::End() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty) BreakLine();
  text_.push_back(level.close);
  return *this;
}

void JsonWriter::BreakLine() {
  if (indented_) text_.append("\n").append(levels_.size() * 2, ' ');
}

void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  if (!levels_.back().empty) text_.push_back(',');
  levels_.back().empty = false;
  BreakLine();
}

void JsonWriter::Quote(std::string_view value) {
  text_.push_back('"');
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      text_.push_back('\\');
      text_.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&text_, "\\u%04x", static_cast<unsigned char>(c));
    } else {
      text_.push_back(c);
    }
  }
  text_.push_back('"');
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  Quote(key);
  text_.append(indented_ ? ": " : ":");
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::Text(std::string_view value) {
  Separate();
  Quote(value);
  return *this;
}

JsonWriter& JsonWriter::Number(double value) {
  Separate();
  if (std::isfinite(value)) {
    absl::StrAppend(&text_, value);
  } else {
    text_.append("null");
  }
  return *this;
}

JsonWriter& JsonWriter::Integer(std::int64_t value) {
  Separate();
  absl::StrAppend(&text_, value);
  return *this;
}

JsonWriter& JsonWriter::Flag(bool value) {
  Separate();
  text_.append(value ? "true" : "false");
  return *this;
}

JsonWriter& JsonWriter::Raw(std::string_view json) {
  Separate();
  text_.append(json.substr(0, json.find_last_not_of(" \n") + 1));
  return *this;
}

JsonWriter& JsonWriter::Texts(const std::vector<std::string>& values) {
  BeginArray();
  for (const std::string& value : values) Text(value);
  return End();
}

}  // namespace ringway
