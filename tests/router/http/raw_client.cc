#include "tests/router/http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"

namespace ringway::http_test {

Wire& Wire::operator=(Wire&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = std::exchange(other.fd_, -1);
    seen_ = std::move(other.seen_);
  }
  return *this;
}

sockaddr_in SocketAddress(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &at.sin_addr);
  return at;
}

Wire Wire::To(const std::string& address, int receive_buffer_bytes) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer_bytes > 0) {
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof(receive_buffer_bytes));
  }
  const sockaddr_in to = SocketAddress(address);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0) {
    close(fd);
    return Wire();
  }
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  return Wire(fd);
}

bool Wire::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

Wire::Got Wire::Fill(Time until) {
  if (fd_ < 0) return Got::kEnd;
  pollfd waits{.fd = fd_, .events = POLLIN, .revents = 0};
  const auto left_ms = std::max<std::int64_t>(0, ToInt64Milliseconds(until - absl::Now()));
  if (poll(&waits, 1, static_cast<int>(left_ms)) <= 0) return Got::kLate;
  char buffer[65536];
  const ssize_t count = recv(fd_, buffer, sizeof(buffer), 0);
  if (count <= 0) return Got::kEnd;
  seen_.append(buffer, static_cast<std::size_t>(count));
  return Got::kBytes;
}

std::optional<std::string> Wire::ReadUntil(std::string_view marker, Duration limit) {
  const Time until = absl::Now() + limit;
  std::size_t at;
  while ((at = seen_.find(marker)) == std::string::npos) {
    if (Fill(until) != Got::kBytes) return std::nullopt;
  }
  std::string found = seen_.substr(0, at + marker.size());
  seen_.erase(0, found.size());
  return found;
}

std::optional<std::string> Wire::ReadExactly(std::size_t count, Duration limit) {
  const Time until = absl::Now() + limit;
  while (seen_.size() < count) {
    if (Fill(until) != Got::kBytes) return std::nullopt;
  }
  std::string found = seen_.substr(0, count);
  seen_.erase(0, count);
  return found;
}

std::optional<std::string> Wire::ReadToEnd(Duration limit) {
  const Time until = absl::Now() + limit;
  Got got;
  while ((got = Fill(until)) == Got::kBytes) {
  }
  if (got == Got::kLate) return std::nullopt;
  return std::exchange(seen_, "");
}

void Wire::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

std::string Answer::Field(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

namespace {

std::optional<std::string> ReadChunks(Wire& wire, Duration limit) {
  std::string body;
  while (true) {
    const auto line = wire.ReadUntil("\r\n", limit);
    if (!line) return std::nullopt;
    const std::size_t size = std::stoul(*line, nullptr, 16);
    const auto chunk = wire.ReadExactly(size, limit);
    const auto end = wire.ReadExactly(2, limit);
    if (!chunk || end != "\r\n") return std::nullopt;
    if (size == 0) return body;
    body += *chunk;
  }
}

}  // namespace

std::optional<Answer> ReadAnswer(Wire& wire, bool without_body, Duration limit) {
  const auto head = wire.ReadUntil("\r\n\r\n", limit);
  if (!head || head->size() < 13 || !head->starts_with("HTTP/1.")) return std::nullopt;
  Answer answer;
  answer.status = std::stoi(head->substr(9, 3));
  std::size_t at = head->find("\r\n") + 2;
  while (at + 2 < head->size()) {
    const std::size_t colon = head->find(": ", at);
    const std::size_t end = head->find("\r\n", at);
    std::string name = head->substr(at, colon - at);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    answer.fields.emplace(std::move(name), head->substr(colon + 2, end - colon - 2));
    at = end + 2;
  }
  std::optional<std::string> body = "";
  if (without_body || answer.status / 100 == 1 || answer.status == 204) return answer;
  if (answer.Field("transfer-encoding") == "chunked") {
    body = ReadChunks(wire, limit);
  } else if (const std::string length = answer.Field("content-length"); !length.empty()) {
    body = wire.ReadExactly(std::stoul(length), limit);
  } else {
    body = wire.ReadToEnd(limit);
  }
  if (!body) return std::nullopt;
  answer.body = *std::move(body);
  return answer;
}

std::optional<Answer> Ask(const std::string& address, const std::string& method, const std::string& fields,
                          const std::string& body) {
  Wire wire = Wire::To(address);
  std::string request = method + " /work HTTP/1.1\r\nHost: test\r\n" + fields;
  if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  if (!wire.Send(request + "\r\n" + body)) return std::nullopt;
  return ReadAnswer(wire, method == "HEAD");
}

}  // namespace ringway::http_test
