#include "tests/controller/raw_http.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/address.h"

namespace ringway::controller {

RawHttp::RawHttp(const std::string& address, int receive_bytes)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_bytes > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
  const timeval limit{.tv_sec = 5, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  const auto to = runtime::ParseAddress(address);
  sockaddr_in endpoint{};
  endpoint.sin_family = AF_INET;
  endpoint.sin_port = htons(static_cast<std::uint16_t>(to->port));
  inet_pton(AF_INET, to->host.c_str(), &endpoint.sin_addr);
  EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&endpoint), sizeof(endpoint)), 0);
}

RawHttp::~RawHttp() { close(socket_); }

void RawHttp::Send(std::string_view bytes) {
  EXPECT_EQ(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

bool RawHttp::ReadSome() {
  char buffer[65536];
  const ssize_t count = recv(socket_, buffer, sizeof(buffer), 0);
  if (count > 0) got_.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

bool RawHttp::ReadUntil(std::string_view text) {
  while (got_.find(text) == std::string::npos) {
    if (!ReadSome()) return false;
  }
  return true;
}

const std::string& RawHttp::ReadAll() {
  while (ReadSome()) {
  }
  return got_;
}

RawReply Ask(const std::string& address, const std::string& method, const std::string& target,
             const std::vector<std::string>& fields, const std::string& body) {
  std::string request = absl::StrCat(method, " ", target, " HTTP/1.1\r\nConnection: close\r\n");
  bool host = false;
  for (const std::string& field : fields) {
    host = host || absl::StartsWith(field, "Host:");
    absl::StrAppend(&request, field, "\r\n");
  }
  if (!host) absl::StrAppend(&request, "Host: ", address, "\r\n");
  if (!body.empty()) absl::StrAppend(&request, "Content-Length: ", body.size(), "\r\n");
  RawHttp http(address);
  http.Send(absl::StrCat(request, "\r\n", body));
  const std::string& all = http.ReadAll();
  const std::size_t end = all.find("\r\n\r\n");
  if (end == std::string::npos) return {};
  return {std::stoi(all.substr(9, 3)), all.substr(0, end), all.substr(end + 4)};
}

}  // namespace ringway::controller
