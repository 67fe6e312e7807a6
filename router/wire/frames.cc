#include "router/wire/frames.h"

#include <algorithm>
#include <cstdint>

namespace ringway::router {
namespace {

constexpr int kByteBits = 8;

}  // namespace

bool AppendFrame(std::string_view payload, std::string& out) {
  if (payload.size() > kFrameBytesMax) return false;
  for (std::size_t byte = kFrameHeadBytes; byte-- > 0;) {
    out.push_back(static_cast<char>(payload.size() >> (byte * kByteBits)));
  }
  out.append(payload);
  return true;
}

std::span<char> FrameReader::Room() {
  if (bytes_.size() - end_ < kRoomMin || begin_ == end_) {
    std::copy(bytes_.begin() + static_cast<std::ptrdiff_t>(begin_),
              bytes_.begin() + static_cast<std::ptrdiff_t>(end_), bytes_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  // A frame is bounded, and so is what it grows to.
  if (bytes_.size() - end_ < kRoomMin) bytes_.resize(end_ + kRoomMin);
  return {bytes_.data() + end_, bytes_.size() - end_};
}

std::optional<std::string_view> FrameReader::Next() {
  if (nonsense_ || end_ - begin_ < kFrameHeadBytes) return std::nullopt;
  std::size_t size = 0;
  for (std::size_t byte = 0; byte < kFrameHeadBytes; ++byte) {
    size = (size << kByteBits) | static_cast<std::uint8_t>(bytes_[begin_ + byte]);
  }
  if (size > kFrameBytesMax) {
    nonsense_ = true;
    return std::nullopt;
  }
  if (end_ - begin_ - kFrameHeadBytes < size) return std::nullopt;
  const std::string_view frame(bytes_.data() + begin_ + kFrameHeadBytes, size);
  begin_ += kFrameHeadBytes + size;
  return frame;
}

}  // namespace ringway::router
