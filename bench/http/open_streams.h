// Thousands of clients that watch one job: opens event streams, and counts what they hear.
//
// One thread and one epoll; sockets are non-blocking and only what is needed is parsed: the head's status and
// the names of events. Bounds: `count` sockets, kTailBytes of each stream kept. Threads: one owner. Wall time
// comes from the caller's limits.
#ifndef RINGWAY_BENCH_HTTP_OPEN_STREAMS_H_
#define RINGWAY_BENCH_HTTP_OPEN_STREAMS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/time.h"

namespace ringway::bench {

class OpenStreams {
 public:
  // `address` is an IPv4 host:port.
  OpenStreams(const std::string& address, const std::string& path, std::size_t count);
  ~OpenStreams();
  OpenStreams(const OpenStreams&) = delete;
  OpenStreams& operator=(const OpenStreams&) = delete;

  // How many streams have had an event of that name; waits until all have, at most `limit`.
  std::size_t Await(const std::string& event, Duration limit);
  std::size_t open() const;

 private:
  struct Stream {
    int fd = -1;
    bool asked = false;
    std::string heard;
  };
  void Serve(int timeout_ms);
  void OnReady(Stream& stream, std::uint32_t what);

  const std::string request_;
  int epoll_ = -1;
  std::vector<Stream> streams_;
};

}  // namespace ringway::bench

#endif  // RINGWAY_BENCH_HTTP_OPEN_STREAMS_H_
