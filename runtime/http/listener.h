// A listening HTTP/1.1 server on an event loop: accepts, counts, ticks and closes its connections.
//
// One timer for all of them: every kTick the server asks each connection how long nothing has moved. Beyond
// connections_max a newcomer takes the place of the connection that has waited longest for a request to come
// whole, so clients that hold connections and ask nothing hide no page from those that ask. Where all are in
// the middle of an exchange, it waits in the kernel's queue until one has ended. Without file descriptors it
// waits for the next tick, and one waiting connection is given up for it. A flood costs file descriptors and
// nothing else, and no client is told anything that another try would contradict.
//
// Threads: the loop's, but Listen, which may run before the loop starts, and the destructor, which runs after
// it has stopped. Bounds: connections_max. What a request means is the application's affair.
#ifndef RINGWAY_RUNTIME_HTTP_LISTENER_H_
#define RINGWAY_RUNTIME_HTTP_LISTENER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/time.h"
#include "runtime/event_loop.h"
#include "runtime/http/server_connection.h"

namespace ringway::http {

struct ListenerSettings {
  std::string listen;  // host:port; the host is an IP address or localhost
  std::size_t connections_max = 4096;
  std::size_t header_bytes_max = std::size_t{16} << 10;
  Duration header_timeout = Seconds(10);
  Duration idle_timeout = Seconds(60);
  Duration stall_timeout = Seconds(30);
};

class Listener {
 public:
  static constexpr Duration kTick = Milliseconds(250);

  Listener(runtime::EventLoop& loop, const ListenerSettings& settings, Application& application);
  ~Listener();

  // Errors: InvalidArgument (not an address), Unavailable (the port is taken). Accepts from then on.
  absl::Status Listen();
  // host:port with the real port.
  const std::string& address() const { return address_; }
  std::size_t connections() const { return connections_.size(); }
  // Accepts nobody else; connections close as soon as they are not in the middle of an exchange.
  void Drain();
  // Closes everything.
  void Close();

 private:
  void Accept();
  void OnNewcomer();
  // Closes the connection that has waited longest; false: none waits.
  bool GiveUpLongestWaiting();
  void Admit(boost::asio::ip::tcp::socket accepted);
  void OnTick();

  runtime::EventLoop& loop_;
  const ListenerSettings settings_;
  const ServerLimits limits_;
  Application& application_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer tick_;
  std::string address_;
  std::vector<std::shared_ptr<ServerConnection>> connections_;  // swept of closed ones at each tick
  bool accepting_ = false;
  bool draining_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ringway::http

#endif  // RINGWAY_RUNTIME_HTTP_LISTENER_H_
