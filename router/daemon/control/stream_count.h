// Counts the client calls that gRPC still knows, so that a process can end after the last of them.
//
// gRPC calls a reactor until its OnDone; the loop that it posts to must outlive that. Whoever opens a call
// holds a Ticket in its reactor; the daemon waits for zero before it takes the loop down.
//
// Threads: safe. Bound: none of its own; streams are bounded by their owners. Cost: one atomic each way.
#ifndef RINGWAY_ROUTER_DAEMON_CONTROL_STREAM_COUNT_H_
#define RINGWAY_ROUTER_DAEMON_CONTROL_STREAM_COUNT_H_

#include <atomic>

namespace ringway::router {

class StreamCount {
 public:
  class Ticket {
   public:
    explicit Ticket(StreamCount& count) : count_(count) { count_.live_.fetch_add(1); }
    ~Ticket() { count_.live_.fetch_sub(1); }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

   private:
    StreamCount& count_;
  };
  int live() const { return live_.load(); }

 private:
  std::atomic<int> live_{0};
};

}  // namespace ringway::router

#endif  // RINGWAY_ROUTER_DAEMON_CONTROL_STREAM_COUNT_H_
