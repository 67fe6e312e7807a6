#include "tests/engine/unigram_model.h"

#include <bit>
#include <cstdio>
#include <cstring>

#include "core/check.h"

namespace ringway::engine {
namespace {

void AppendVarint(std::uint64_t value, std::string& to) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}
void AppendWhole(int field, std::uint64_t value, std::string& to) {
  AppendVarint(static_cast<std::uint64_t>(field) << 3, to);
  AppendVarint(value, to);
}
void AppendText(int field, std::string_view text, std::string& to) {
  AppendVarint(static_cast<std::uint64_t>(field) << 3 | 2, to);
  AppendVarint(text.size(), to);
  to += text;
}
void AppendReal(int field, float value, std::string& to) {
  AppendVarint(static_cast<std::uint64_t>(field) << 3 | 5, to);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  to.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
}

class DoubleArray {
 public:
  // Keys in order, each with the place of its replacement.
  explicit DoubleArray(const std::vector<std::pair<std::string, std::uint32_t>>& keys) : keys_(keys) {
    Reserve(256);
    used_[0] = true;
    Place(0, 0, 0, keys_.size());
  }
  const std::vector<std::uint32_t>& nodes() const { return nodes_; }

 private:
  void Reserve(std::size_t size) {
    if (nodes_.size() >= size) return;
    nodes_.resize(size);
    used_.resize(size);
  }
  // The node at `at` stands for the first `depth` bytes of the keys from `first` to before `end`.
  void Place(std::size_t at, std::size_t depth, std::size_t first, std::size_t end) {
    std::map<unsigned char, std::pair<std::size_t, std::size_t>> children;
    bool leaf = false;
    for (std::size_t i = first; i < end; ++i) {
      if (keys_[i].first.size() == depth) {
        leaf = true;
        continue;
      }
      auto& [from, to] =
          children.try_emplace(static_cast<unsigned char>(keys_[i].first[depth]), i, i).first->second;
      to = i + 1;
    }
    const std::size_t base = Base(children, leaf);
    RINGWAY_CHECK((at ^ base) < (1u << 21));
    nodes_[at] |= static_cast<std::uint32_t>(at ^ base) << 10;
    if (leaf) {
      nodes_[at] |= 1u << 8;
      nodes_[base] = keys_[first].second | 0x80000000u;
      used_[base] = true;
    }
    for (const auto& [byte, range] : children) {
      nodes_[base ^ byte] = byte;
      used_[base ^ byte] = true;
    }
    for (const auto& [byte, range] : children) Place(base ^ byte, depth + 1, range.first, range.second);
  }
  template <typename Children>
  std::size_t Base(const Children& children, bool leaf) {
    for (std::size_t base = 1;; ++base) {
      Reserve((base | 0xff) + 1);
      bool free = !leaf || !used_[base];
      for (const auto& [byte, range] : children) free = free && !used_[base ^ byte];
      if (free) return base;
    }
  }

  const std::vector<std::pair<std::string, std::uint32_t>>& keys_;
  std::vector<std::uint32_t> nodes_;
  std::vector<bool> used_;
};

}  // namespace

std::string CharsmapOf(const std::map<std::string, std::string>& rules) {
  std::vector<std::pair<std::string, std::uint32_t>> keys;
  std::string replacements;
  for (const auto& [key, replacement] : rules) {
    keys.emplace_back(key, static_cast<std::uint32_t>(replacements.size()));
    replacements += replacement + '\0';
  }
  const DoubleArray array(keys);
  const auto size = static_cast<std::uint32_t>(array.nodes().size() * sizeof(std::uint32_t));
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof(size));
  bytes.append(reinterpret_cast<const char*>(array.nodes().data()), size);
  return bytes + replacements;
}

std::string UnigramModel::File() const {
  std::string file;
  for (const ModelPiece& piece : pieces) {
    std::string message;
    AppendText(1, piece.text, message);
    AppendReal(2, piece.score, message);
    if (piece.kind != 1) AppendWhole(3, static_cast<std::uint64_t>(piece.kind), message);
    AppendText(1, message, file);
  }
  std::string trainer, normaliser;
  AppendWhole(3, static_cast<std::uint64_t>(kind), trainer);
  if (byte_fallback) AppendWhole(35, 1, trainer);
  AppendText(2, trainer, file);
  AppendText(1, "of a test", normaliser);
  if (!charsmap.empty()) AppendText(2, charsmap, normaliser);
  AppendWhole(3, blank_before ? 1 : 0, normaliser);
  AppendWhole(4, fewer_blanks ? 1 : 0, normaliser);
  AppendText(3, normaliser, file);
  return file;
}

UnigramModel SmallUnigramModel() {
  UnigramModel model;
  model.pieces = {{"<pad>", 0, 3}, {"</s>", 0, 3}, {"<unk>", 0, 2}};
  const std::pair<const char*, float> words[] = {{"\xE2\x96\x81", -3},
                                                 {"\xE2\x96\x81"
                                                  "a",
                                                  -4},
                                                 {"\xE2\x96\x81small", -7},
                                                 {"\xE2\x96\x81"
                                                  "boat",
                                                  -8},
                                                 {"\xE2\x96\x81sways", -9},
                                                 {"s", -4.5f},
                                                 {"sw", -6},
                                                 {"ay", -6.5f},
                                                 {"all", -6.25f},
                                                 {"sm", -7.5f}};
  for (const auto& [text, score] : words) model.pieces.push_back({text, score});
  for (const char letter : std::string_view("amlbotwy,i"))
    model.pieces.push_back({std::string(1, letter), -5 - static_cast<float>(letter % 7) / 8});
  // What NFKC makes of a ligature, of wide letters, and of blanks and what is no character.
  model.charsmap = CharsmapOf({{"\xEF\xAC\x81", "fi"},
                               {"\xEF\xBD\x81", "a"},
                               {"\xEF\xBD\x82", "b"},
                               {"\xE3\x80\x80", " "},
                               {"\t", " "},
                               {"\n", " "},
                               {"\x01", ""},
                               {"o\xCC\x88", "\xC3\xB6"},
                               {"\xC2\xA8", " \xCC\x88"}});
  return model;
}

UnigramModel ByteUnigramModel() {
  UnigramModel model = SmallUnigramModel();
  model.byte_fallback = true;
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof(name), "<0x%02X>", static_cast<unsigned>(byte));
    model.pieces.push_back({name, 0, 6});
  }
  return model;
}

}  // namespace ringway::engine
