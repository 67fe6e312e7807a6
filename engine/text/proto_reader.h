// Protocol buffers read field by field, without a schema and without a copy.
//
// A message is a run of fields: a number, one of four kinds (wire types 0, 1, 2 and 5) and the value. Next
// gives them one after the other; texts and messages within are views of the bytes. The first thing that is
// wrong (a length beyond the end, a number of more than ten bytes, a group) ends the reading, and ok() says
// so. Enough for a file of one known message; what a field means is its reader's business.
//
// Pure; O(1) a field beside its bytes.
#ifndef RINGWAY_ENGINE_TEXT_PROTO_READER_H_
#define RINGWAY_ENGINE_TEXT_PROTO_READER_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace ringway::engine {

class ProtoReader {
 public:
  struct Field {
    std::uint64_t number = 0;
    std::optional<std::uint64_t> whole = {};    // whole numbers, booleans and enumerations
    std::optional<float> real = {};             // of 32 bits
    std::optional<std::string_view> text = {};  // texts, bytes and messages
  };

  explicit ProtoReader(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }

  // Nothing at the end, or where something is wrong. A field of 64 bits comes without a value.
  std::optional<Field> Next() {
    if (!ok_ || rest_.empty()) return std::nullopt;
    const std::uint64_t key = Varint();
    Field field{.number = key >> 3};
    switch (key & 7) {
      case 0:
        field.whole = Varint();
        break;
      case 1:
        Take(8);
        break;
      case 2:
        field.text = Take(Varint());
        break;
      case 5:
        if (const std::string_view bytes = Take(4); ok_) {
          std::uint32_t bits = 0;
          std::memcpy(&bits, bytes.data(), sizeof(bits));
          field.real = std::bit_cast<float>(bits);
        }
        break;
      default:
        ok_ = false;
    }
    if (field.number == 0) ok_ = false;
    return ok_ ? std::optional(field) : std::nullopt;
  }

 private:
  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70 && ok_; shift += 7) {
      const std::string_view byte = Take(1);
      if (!ok_) return 0;
      const auto bits = static_cast<unsigned char>(byte[0]);
      if (shift < 64) value |= std::uint64_t{bits & 0x7fu} << shift;
      if (bits < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  std::string_view Take(std::uint64_t size) {
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace ringway::engine

#endif  // RINGWAY_ENGINE_TEXT_PROTO_READER_H_
