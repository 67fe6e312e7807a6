#include "gateway/objects/xml_text.h"

#include <charconv>
#include <cstdint>

namespace ringway::gateway::objects {
namespace {

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == ':';
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void AppendUtf8(std::string& text, std::uint32_t code) {
  const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | code >> 6), add(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12), add(0x80 | (code >> 6 & 0x3f)), add(0x80 | (code & 0x3f));
  } else {
    add(0xf0 | code >> 18), add(0x80 | (code >> 12 & 0x3f));
    add(0x80 | (code >> 6 & 0x3f)), add(0x80 | (code & 0x3f));
  }
}

// `name` without '&' and ';'.
bool AppendReference(std::string& text, std::string_view name) {
  if (name == "amp") return text += '&', true;
  if (name == "lt") return text += '<', true;
  if (name == "gt") return text += '>', true;
  if (name == "quot") return text += '"', true;
  if (name == "apos") return text += '\'', true;
  if (name.size() < 2 || name[0] != '#') return false;
  const bool hex = name[1] == 'x';
  name.remove_prefix(hex ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
  const bool whole = failed == std::errc() && end == name.data() + name.size();
  if (!whole || code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  AppendUtf8(text, code);
  return true;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<std::vector<XmlElement>> Read() {
    while (!rest_.empty()) {
      if (!(rest_[0] == '<' ? Markup() : Text())) return std::nullopt;
    }
    if (!open_.empty() || elements_.empty()) return std::nullopt;
    return std::move(elements_);
  }

 private:
  bool SkipPast(std::string_view end) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + end.size());
    return true;
  }

  bool Markup() {
    if (rest_.starts_with("<?")) return SkipPast("?>");
    if (rest_.starts_with("<!--")) return SkipPast("-->");
    if (rest_.starts_with("<!")) return false;
    return rest_.starts_with("</") ? End() : Begin();
  }

  std::string_view Name() {
    std::size_t size = 0;
    while (size < rest_.size() && IsNameByte(rest_[size])) ++size;
    const std::string_view name = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return name;
  }

  void SkipSpace() {
    while (!rest_.empty() && IsSpace(rest_[0])) rest_.remove_prefix(1);
  }

  bool Begin() {
    rest_.remove_prefix(1);
    const std::string_view name = Name();
    const bool second_root = open_.empty() && !elements_.empty();
    if (name.empty() || second_root || elements_.size() >= kXmlElementsMax || open_.size() >= kXmlDepthMax)
      return false;
    elements_.push_back(
        {.name = std::string(name.substr(name.find(':') + 1)), .text = {}, .depth = open_.size()});
    open_.push_back({name, elements_.size() - 1});
    while (true) {
      SkipSpace();
      if (rest_.starts_with("/>")) {
        rest_.remove_prefix(2);
        open_.pop_back();
        return true;
      }
      if (rest_.starts_with(">")) {
        rest_.remove_prefix(1);
        return true;
      }
      if (!Attribute()) return false;
    }
  }

  bool Attribute() {
    if (Name().empty()) return false;
    SkipSpace();
    if (!rest_.starts_with('=')) return false;
    rest_.remove_prefix(1);
    SkipSpace();
    if (rest_.empty() || (rest_[0] != '"' && rest_[0] != '\'')) return false;
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    return SkipPast(std::string_view(&quote, 1));
  }

  bool End() {
    rest_.remove_prefix(2);
    if (open_.empty() || Name() != open_.back().name) return false;
    open_.pop_back();
    SkipSpace();
    if (!rest_.starts_with('>')) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool Text() {
    const std::string_view text = rest_.substr(0, rest_.find('<'));
    rest_.remove_prefix(text.size());
    if (open_.empty()) {
      for (const char c : text) {
        if (!IsSpace(c)) return false;
      }
      return true;
    }
    std::string& into = elements_[open_.back().element].text;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = text.find('&', at);
      into.append(text.substr(at, next == std::string_view::npos ? text.size() - at : next - at));
      if (next == std::string_view::npos) return true;
      // No reference is longer; without the bound each '&' of a long text would search all of it.
      const std::size_t end = text.substr(next, 12).find(';');
      if (end == std::string_view::npos || !AppendReference(into, text.substr(next + 1, end - 1)))
        return false;
      at = next + end + 1;
    }
    return true;
  }

  struct Open {
    std::string_view name;
    std::size_t element = 0;
  };
  std::string_view rest_;
  std::vector<XmlElement> elements_;
  std::vector<Open> open_;
};

}  // namespace

std::optional<std::vector<XmlElement>> ReadXml(std::string_view text) {
  if (text.size() > kXmlBytesMax) return std::nullopt;
  return Reader(text).Read();
}

}  // namespace ringway::gateway::objects
