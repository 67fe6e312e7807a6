// A small HTTP server that answers as a test tells it to; what an http worker fronts.
//
// Each connection carries one request. The script sees it and says what to answer, or that it stays silent;
// the server notices when a client that waits for a silent answer hangs up. Counts are readable from the
// test's thread. Threads: the server runs on a loop of its own; scripts are called there.
#ifndef RINGWAY_TESTS_WORKER_SCRIPTED_SERVER_H_
#define RINGWAY_TESTS_WORKER_SCRIPTED_SERVER_H_

#include <utility>

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <string>

#include "runtime/event_loop.h"

namespace ringway::live {

using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;

class ScriptedServer {
 public:
  // Fills in the response; false: never answers.
  using Script = std::function<bool(const HttpRequest&, HttpResponse&)>;
  explicit ScriptedServer(Script script);
  ~ScriptedServer();

  std::string Url(const std::string& path = "/") const;
  int requests() const { return requests_.load(); }
  int hang_ups() const { return hang_ups_.load(); }

 private:
  class Visit;
  void Accept();
  const Script script_;
  std::atomic<int> requests_{0};
  std::atomic<int> hang_ups_{0};
  runtime::EventLoop loop_{"scripted"};
  boost::asio::ip::tcp::acceptor acceptor_;
};

}  // namespace ringway::live

#endif  // RINGWAY_TESTS_WORKER_SCRIPTED_SERVER_H_
