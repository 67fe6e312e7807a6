// A plain HTTP server of capacity one, scripted by the test: what it does with a request is a function.
//
// One thread accepts, one serves each connection, so a script may block for as long as it likes. The script
// gets the request's head and the connection after it, and writes its response itself; returning false closes
// the connection. Requests are counted as their heads come, which is what "a worker was asked" means.
//
// Threads: counters from any; scripts run on the connections' threads.
#ifndef RINGWAY_TESTS_ROUTER_HTTP_PLAIN_WORKER_H_
#define RINGWAY_TESTS_ROUTER_HTTP_PLAIN_WORKER_H_

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/router/http/raw_client.h"

namespace ringway::http_test {

struct Request {
  std::string head;  // with the empty line
  std::string method() const { return head.substr(0, head.find(' ')); }
  // Of the first field of that name, as written; empty: none.
  std::string Field(const std::string& name) const;
};

class PlainWorker {
 public:
  using Script = std::function<bool(const Request&, Wire&)>;

  // `at`: where an earlier one listened; empty: anywhere.
  explicit PlainWorker(Script script, const std::string& at = "");
  ~PlainWorker();
  const std::string& address() const { return address_; }
  int asked() const { return asked_; }
  int connections() const { return connections_; }
  // Connections that are open now.
  int open() const { return open_; }
  // Closes the listening socket: nobody can connect any more.
  void StopListening();

 private:
  void Accept();
  void Serve(int fd);
  const Script script_;
  int listener_ = -1;
  std::string address_;
  std::atomic<int> asked_{0};
  std::atomic<int> connections_{0};
  std::atomic<int> open_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::vector<int> fds_;
  std::vector<std::thread> threads_;
  std::thread accepts_;
};

// Reads the request's body, decoded, by its framing.
std::string ReadBody(const Request& request, Wire& wire);
// A whole response with Content-Length.
bool Respond(Wire& wire, int status, const std::string& body, const std::string& fields = "");

// Scripts.
PlainWorker::Script Echo();  // 200 with the body that came
PlainWorker::Script Says(int status, const std::string& body, const std::string& fields = "");

}  // namespace ringway::http_test

#endif  // RINGWAY_TESTS_ROUTER_HTTP_PLAIN_WORKER_H_
