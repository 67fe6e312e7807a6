// Messages on a byte stream: each is a frame, its length in four bytes (the highest first) and then itself.
//
// Invariant: however the stream is cut by the network, the frames that come out are those that went in. A
// length beyond the bound is nonsense, and nothing after it is believed.
//
// Bounds: kFrameBytesMax, which no message between routers comes near. Threads: none; one owner. Writing
// copies once; reading hands out views into the reader's own buffer, which grows to the longest frame seen.
#ifndef RINGWAY_ROUTER_WIRE_FRAMES_H_
#define RINGWAY_ROUTER_WIRE_FRAMES_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ringway::router {

inline constexpr std::size_t kFrameHeadBytes = 4;
inline constexpr std::size_t kFrameBytesMax = std::size_t{64} << 10;

// Appends the frame to `out`. False: it is longer than allowed, and nothing has been appended.
[[nodiscard]] bool AppendFrame(std::string_view payload, std::string& out);

class FrameReader {
 public:
  FrameReader() : bytes_(kRoomMin, '\0') {}

  // Where the next bytes of the stream go; never empty. Ends the views that were handed out.
  std::span<char> Room();
  // So many bytes have been put there.
  void Filled(std::size_t count) { end_ += count; }
  // The next whole frame; nothing: there is none yet, or the stream makes no sense.
  std::optional<std::string_view> Next();
  // A frame was announced that is longer than allowed; there will be no other.
  bool nonsense() const { return nonsense_; }

 private:
  static constexpr std::size_t kRoomMin = 2048;

  std::string bytes_;
  std::size_t begin_ = 0;  // of what has not been handed out
  std::size_t end_ = 0;    // of what has been read
  bool nonsense_ = false;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_WIRE_FRAMES_H_
