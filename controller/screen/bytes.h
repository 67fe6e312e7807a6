// What a restarted controller's page is given, as bytes and back: little-endian numbers, and names after
// their length.
//
// The bytes are not trusted: a reader that finds less than it was told gives zeros and empty names from there
// on, says so in ok(), and never makes room for more things than the bytes that are left could hold.
//
// Plain values, one owner.
#ifndef RINGWAY_CONTROLLER_SCREEN_BYTES_H_
#define RINGWAY_CONTROLLER_SCREEN_BYTES_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ringway::controller {

inline constexpr std::size_t kNumberBytes = 4;  // of counts, lengths and floats

class ByteWriter {
 public:
  void Add(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) text_.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
  }
  void Add(float value) { Add(std::bit_cast<std::uint32_t>(value), kNumberBytes); }
  void Add(std::string_view name) {
    Add(name.size(), kNumberBytes);
    text_.append(name);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// After the first number that is not there everything is 0 and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t Number(std::size_t bytes) {
    if (bytes > bytes_.size()) return Fail();
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[i])) << (8 * i);
    }
    bytes_.remove_prefix(bytes);
    return value;
  }
  float Float() { return std::bit_cast<float>(static_cast<std::uint32_t>(Number(kNumberBytes))); }
  // So many things of at least `each` bytes follow.
  std::size_t Count(std::size_t each) {
    const std::uint64_t count = Number(kNumberBytes);
    return count > bytes_.size() / each ? static_cast<std::size_t>(Fail()) : static_cast<std::size_t>(count);
  }
  std::string Name() {
    const std::size_t size = Count(1);
    const std::string name(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return name;
  }
  bool ok() const { return ok_; }
  bool done() const { return bytes_.empty(); }

 private:
  std::uint64_t Fail() {
    ok_ = false;
    bytes_ = {};
    return 0;
  }
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace ringway::controller

#endif  // RINGWAY_CONTROLLER_SCREEN_BYTES_H_
