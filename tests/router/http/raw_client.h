// An HTTP client that says exactly what a test tells it to, byte by byte, over a blocking socket.
//
// Reading is bounded in time: a test that waits for bytes which never come fails instead of hanging. A
// response is taken apart only as far as tests look at it.
//
// Threads: one owner.
#ifndef RINGWAY_TESTS_ROUTER_HTTP_RAW_CLIENT_H_
#define RINGWAY_TESTS_ROUTER_HTTP_RAW_CLIENT_H_

#include <netinet/in.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/time.h"

namespace ringway::http_test {

// Of "127.0.0.1:80"; port 0 means any.
sockaddr_in SocketAddress(const std::string& address);

// A blocking TCP socket; also what a scripted worker talks through.
class Wire {
 public:
  Wire() = default;
  explicit Wire(int fd) : fd_(fd) {}
  Wire(Wire&& other) noexcept : fd_(std::exchange(other.fd_, -1)), seen_(std::move(other.seen_)) {}
  Wire& operator=(Wire&& other) noexcept;
  ~Wire() { Close(); }

  static Wire To(const std::string& address, int receive_buffer_bytes = 0);
  bool open() const { return fd_ >= 0; }
  // False when the other side takes no more.
  bool Send(std::string_view bytes);
  // Up to and with `marker`; what came behind it is kept. Nothing: closed, or late.
  std::optional<std::string> ReadUntil(std::string_view marker, Duration limit = Seconds(10));
  std::optional<std::string> ReadExactly(std::size_t count, Duration limit = Seconds(10));
  // All there is until the other side closes; nothing when it does not.
  std::optional<std::string> ReadToEnd(Duration limit = Seconds(10));
  // The other side closed (or reset) within the limit; bytes before that are thrown away.
  bool ClosedWithin(Duration limit) { return ReadToEnd(limit).has_value(); }
  void Close();

 private:
  // False: closed. Waits at most until `until`.
  enum class Got { kBytes, kEnd, kLate };
  Got Fill(Time until);
  int fd_ = -1;
  std::string seen_;
};

struct Answer {
  int status = 0;
  std::multimap<std::string, std::string> fields;  // names in lower case
  std::string body;                                // decoded
  std::string Field(const std::string& name) const;
};

// Reads one response. `without_body`: to HEAD.
std::optional<Answer> ReadAnswer(Wire& wire, bool without_body = false, Duration limit = Seconds(10));

// One request on a connection of its own, with Content-Length when there is a body.
std::optional<Answer> Ask(const std::string& address, const std::string& method,
                          const std::string& fields = "", const std::string& body = "");

}  // namespace ringway::http_test

#endif  // RINGWAY_TESTS_ROUTER_HTTP_RAW_CLIENT_H_
