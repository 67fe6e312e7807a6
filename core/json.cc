#include "core/json.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ringway {
namespace {

// Which bytes may not stand in a text as they are (RFC 8259, 7).
constexpr std::array<bool, 256> kEscaped = [] {
  std::array<bool, 256> escaped{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) escaped[byte] = true;
  escaped['"'] = escaped['\\'] = true;
  return escaped;
}();

}  // namespace

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

// Most values have nothing to escape, and are copied in one piece.
void JsonWriter::Quote(std::string_view value) {
  text_.push_back('"');
  std::size_t copied = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto c = static_cast<unsigned char>(value[i]);
    if (!kEscaped[c]) continue;
    text_.append(value, copied, i - copied);
    copied = i + 1;
    if (c < 0x20) {
      absl::StrAppendFormat(&text_, "\\u%04x", c);
    } else {
      text_.push_back('\\');
      text_.push_back(value[i]);
    }
  }
  text_.append(value, copied);
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
