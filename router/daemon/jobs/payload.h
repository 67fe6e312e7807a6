// A job's payload on its way through the router: kept whole while it may have to be offered again.
//
// Chunks are appended as the client sends them and read at a cursor by the current attempt; a new attempt
// starts over. A payload above `keep_max` cannot be kept: once an attempt has taken its first chunks they are
// dropped, and no second attempt is possible.
//
// Bound: keep_max plus one window. Threads: one owner.
#ifndef RINGWAY_ROUTER_DAEMON_JOBS_PAYLOAD_H_
#define RINGWAY_ROUTER_DAEMON_JOBS_PAYLOAD_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace ringway::router {

class Payload {
 public:
  void Append(std::string chunk) {
    bytes_ += chunk.size();
    total_ += chunk.size();
    chunks_.push_back(std::move(chunk));
  }
  // The next chunk for this attempt; null: none yet, or no more.
  const std::string* Next() const { return cursor_ < chunks_.size() ? &chunks_[cursor_] : nullptr; }
  void Advance() { ++cursor_; }
  // Everything from the first byte again.
  void Rewind() { cursor_ = 0; }
  // Forgets what the attempt has taken. Returns how many bytes that were.
  std::size_t DropTaken() {
    std::size_t dropped = 0;
    for (; cursor_ > 0; --cursor_) {
      dropped += chunks_.front().size();
      chunks_.pop_front();
    }
    bytes_ -= dropped;
    return dropped;
  }
  std::size_t Clear() {
    cursor_ = 0;
    chunks_.clear();
    return std::exchange(bytes_, 0);
  }
  std::size_t bytes() const { return bytes_; }    // held now
  std::uint64_t total() const { return total_; }  // that the client has sent

 private:
  std::deque<std::string> chunks_;
  std::size_t cursor_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_JOBS_PAYLOAD_H_
