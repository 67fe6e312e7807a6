#include "core/json_reader.h"

#include <algorithm>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/charconv.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/absl_view.h"

namespace ringway {
namespace {

constexpr std::size_t kKeyShownMax = 100;

void AppendUtf8(std::uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view what, const JsonLimits& limits)
      : text_(text), what_(what), limits_(limits) {}

  absl::StatusOr<Json> ReadDocument() {
    Json value;
    if (text_.size() > limits_.bytes_max) {
      Fail(absl::StrCat("at most ", limits_.bytes_max, " bytes, found ", text_.size()));
      return error_;
    }
    if (!ReadValue(0, value)) return error_;
    SkipSpace();
    if (at_ != text_.size()) {
      Fail("nothing more after the value");
      return error_;
    }
    return value;
  }

 private:
  bool Fail(std::string_view expected) {
    error_ = absl::InvalidArgumentError(
        absl::StrCat(AbslView(what_), ": not valid JSON at byte ", at_, ": expected ", AbslView(expected)));
    return false;
  }
  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }
  bool Consume(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool ConsumeWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool ReadValue(int depth, Json& out) {
    if (depth > limits_.depth_max) return Fail(absl::StrCat("at most ", limits_.depth_max, " levels"));
    if (++values_ > limits_.values_max) return Fail(absl::StrCat("at most ", limits_.values_max, " values"));
    SkipSpace();
    if (at_ >= text_.size()) return Fail("a value, found the end");
    switch (text_[at_]) {
      case '{':
        return ReadObject(depth, out);
      case '[':
        return ReadArray(depth, out);
      case '"': {
        std::string s;
        if (!ReadString(s)) return false;
        out = Json(std::move(s));
        return true;
      }
      default:
        return ReadScalar(out);
    }
  }

  bool ReadScalar(Json& out) {
    if (ConsumeWord("true")) {
      out = Json(true);
    } else if (ConsumeWord("false")) {
      out = Json(false);
    } else if (ConsumeWord("null")) {
      out = Json();
    } else {
      return ReadNumber(out);
    }
    return true;
  }

  bool ReadNumber(Json& out) {
    const std::size_t begin = at_;
    Consume('-');
    const std::size_t digits = at_;
    SkipDigits();
    if (at_ == digits) return Fail("a value");
    if (text_[digits] == '0' && at_ > digits + 1) return Fail("a number without leading zeros");
    bool whole = true;
    if (Consume('.')) {
      whole = false;
      if (!SkipDigits()) return Fail("a digit after the point");
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      whole = false;
      if (!Consume('+')) Consume('-');
      if (!SkipDigits()) return Fail("a digit in the exponent");
    }
    const std::string_view token = text_.substr(begin, at_ - begin);
    std::int64_t integer = 0;
    if (whole && absl::SimpleAtoi(AbslView(token), &integer)) {
      out = Json(integer);
      return true;
    }
    double number = 0;
    const auto parsed = absl::from_chars(token.data(), token.data() + token.size(), number);
    if (parsed.ec != std::errc()) return Fail("a number within the range of a double");
    out = Json(number);
    return true;
  }
  bool SkipDigits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ > begin;
  }

  // Plain characters are taken run by run: a picture is one run of millions.
  bool ReadString(std::string& out) {
    ++at_;
    while (true) {
      const std::size_t end = EndOfRun();
      out.append(text_.substr(at_, end - at_));
      at_ = end;
      if (at_ >= text_.size()) return Fail("the closing quote of a string, found the end");
      if (text_[at_] == '"') break;
      if (text_[at_] != '\\') return Fail("no control character in a string");
      ++at_;
      if (!ReadEscape(out)) return false;
    }
    ++at_;
    return true;
  }
  std::size_t EndOfRun() const {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\\' &&
           static_cast<unsigned char>(text_[end]) >= 0x20)
      ++end;
    return end;
  }

  bool ReadEscape(std::string& out) {
    if (at_ >= text_.size()) return Fail("an escaped character, found the end");
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    const char c = text_[at_++];
    if (const std::size_t i = kFrom.find(c); i != std::string_view::npos) {
      out += kTo[i];
      return true;
    }
    std::uint32_t code = 0;
    if (c != 'u' || !ReadHex4(code)) return Fail("a valid escape");
    if (code >= 0xdc00 && code < 0xe000) return Fail("a high surrogate before a low one");
    if (code >= 0xd800 && code < 0xdc00) {
      std::uint32_t low = 0;
      if (!ConsumeWord("\\u") || !ReadHex4(low) || low < 0xdc00 || low > 0xdfff)
        return Fail("a low surrogate after a high one");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    AppendUtf8(code, out);
    return true;
  }
  bool ReadHex4(std::uint32_t& code) {
    if (text_.size() - at_ < 4) return false;
    for (int i = 0; i < 4; ++i) {
      const char c = text_[at_++];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return false;
      code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  bool ReadArray(int depth, Json& out) {
    ++at_;
    Json::Array items;
    SkipSpace();
    if (!Consume(']')) {
      do {
        if (!ReadValue(depth + 1, items.emplace_back())) return false;
        SkipSpace();
      } while (Consume(','));
      if (!Consume(']')) return Fail("',' or ']'");
    }
    out = Json(std::move(items));
    return true;
  }

  bool ReadObject(int depth, Json& out) {
    ++at_;
    Json::Object members;
    SkipSpace();
    if (!Consume('}')) {
      do {
        SkipSpace();
        if (at_ >= text_.size() || text_[at_] != '"') return Fail("a key in quotes");
        Json::Member& member = members.emplace_back();
        if (!ReadString(member.first)) return false;
        SkipSpace();
        if (!Consume(':')) return Fail("':'");
        if (!ReadValue(depth + 1, member.second)) return false;
        SkipSpace();
      } while (Consume(','));
      if (!Consume('}')) return Fail("',' or '}'");
    }
    if (const std::string* twice = DuplicateKey(members))
      return Fail(
          absl::StrCat("each key once, found \"", AbslView(*twice).substr(0, kKeyShownMax), "\" twice"));
    out = Json(std::move(members));
    return true;
  }

  static const std::string* DuplicateKey(const Json::Object& members) {
    std::vector<const std::string*> keys;
    keys.reserve(members.size());
    for (const Json::Member& member : members) keys.push_back(&member.first);
    std::sort(keys.begin(), keys.end(), [](auto* a, auto* b) { return *a < *b; });
    const auto twice =
        std::adjacent_find(keys.begin(), keys.end(), [](auto* a, auto* b) { return *a == *b; });
    return twice == keys.end() ? nullptr : *twice;
  }

  std::string_view text_;
  std::string_view what_;
  JsonLimits limits_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  absl::Status error_;
};

}  // namespace

absl::StatusOr<Json> Json::Parse(std::string_view text, std::string_view what, const JsonLimits& limits) {
  return Reader(text, what, limits).ReadDocument();
}

bool Json::IsNumber() const { return integer() != nullptr || std::holds_alternative<double>(value_); }

double Json::number() const {
  if (const std::int64_t* i = integer()) return static_cast<double>(*i);
  const double* d = std::get_if<double>(&value_);
  return d == nullptr ? 0.0 : *d;
}

const Json* Json::Find(std::string_view key) const {
  const Object* members = object();
  if (members == nullptr) return nullptr;
  for (const Member& member : *members)
    if (member.first == key) return &member.second;
  return nullptr;
}

std::string_view Json::KindName() const {
  static constexpr std::string_view kNames[] = {"null",     "true or false", "an integer", "a number",
                                                "a string", "an array",      "an object"};
  return kNames[value_.index()];
}

}  // namespace ringway
