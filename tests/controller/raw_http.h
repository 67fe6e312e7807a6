// HTTP as bytes over a loopback socket, for tests that care about every field and every pause.
//
// Send writes what it is given; Read waits for bytes, ReadUntil for a text. Every wait ends after five
// seconds. Ask sends one request with Connection: close and returns everything that comes back.
//
// Threads: one owner. Blocking, for tests only.
#ifndef RINGWAY_TESTS_CONTROLLER_RAW_HTTP_H_
#define RINGWAY_TESTS_CONTROLLER_RAW_HTTP_H_

#include <string>
#include <string_view>
#include <vector>

namespace ringway::controller {

class RawHttp {
 public:
  // host:port with an IPv4 host. `receive_bytes`: size of the kernel's buffer; 0: the usual one.
  explicit RawHttp(const std::string& address, int receive_bytes = 0);
  ~RawHttp();
  RawHttp(const RawHttp&) = delete;
  RawHttp& operator=(const RawHttp&) = delete;

  void Send(std::string_view bytes);
  // True once all that was read holds `text`.
  bool ReadUntil(std::string_view text);
  // Reads until the other side closes.
  const std::string& ReadAll();
  const std::string& got() const { return got_; }

 private:
  bool ReadSome();
  int socket_;
  std::string got_;
};

struct RawReply {
  int status = 0;
  std::string head;
  std::string body;
};

// `fields`: whole lines without the line end; Host is added unless one is there.
RawReply Ask(const std::string& address, const std::string& method, const std::string& target,
             const std::vector<std::string>& fields = {}, const std::string& body = "");

}  // namespace ringway::controller

#endif  // RINGWAY_TESTS_CONTROLLER_RAW_HTTP_H_
