#include "bench/http/open_streams.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace ringway::bench {
namespace {

constexpr std::size_t kHeardBytesMax = std::size_t{64} << 10;

sockaddr_in AddressOf(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(address.c_str() + colon + 1)));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  return to;
}

}  // namespace

OpenStreams::OpenStreams(const std::string& address, const std::string& path, std::size_t count)
    : request_(absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: ", address,
                            "\r\nAccept: text/event-stream\r\n\r\n")),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      streams_(count) {
  const sockaddr_in to = AddressOf(address);
  for (std::size_t i = 0; i < count; ++i) {
    Stream& stream = streams_[i];
    stream.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (stream.fd < 0) continue;
    connect(stream.fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to));
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT;
    event.data.u64 = i;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, stream.fd, &event);
    if (i % 256 == 255) Serve(0);
  }
}

OpenStreams::~OpenStreams() {
  for (const Stream& stream : streams_) {
    if (stream.fd >= 0) close(stream.fd);
  }
  close(epoll_);
}

void OpenStreams::OnReady(Stream& stream, std::uint32_t what) {
  const std::size_t index = static_cast<std::size_t>(&stream - streams_.data());
  if ((what & EPOLLOUT) != 0 && !stream.asked) {
    stream.asked = send(stream.fd, request_.data(), request_.size(), MSG_NOSIGNAL) > 0;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index;
    epoll_ctl(epoll_, EPOLL_CTL_MOD, stream.fd, &event);
  }
  if ((what & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
  std::array<char, 16384> bytes;
  const ssize_t count = recv(stream.fd, bytes.data(), bytes.size(), 0);
  if (count > 0) {
    if (stream.heard.size() < kHeardBytesMax)
      stream.heard.append(bytes.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EAGAIN) {
    close(stream.fd);
    stream.fd = -1;
  }
}

void OpenStreams::Serve(int timeout_ms) {
  std::array<epoll_event, 512> events;
  const int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
  for (int i = 0; i < ready; ++i) {
    Stream& stream = streams_[events[static_cast<std::size_t>(i)].data.u64];
    if (stream.fd >= 0) OnReady(stream, events[static_cast<std::size_t>(i)].events);
  }
}

std::size_t OpenStreams::Await(const std::string& event, Duration limit) {
  const std::string mark = absl::StrCat("event: ", event, "\n");
  const Time until = absl::Now() + limit;
  std::size_t heard = 0;
  do {
    for (int i = 0; i < 32; ++i) Serve(i == 0 ? 50 : 0);
    heard =
        static_cast<std::size_t>(std::count_if(streams_.begin(), streams_.end(), [&](const Stream& stream) {
          return stream.heard.find(mark) != std::string::npos;
        }));
  } while (heard < streams_.size() && absl::Now() < until);
  return heard;
}

std::size_t OpenStreams::open() const {
  return static_cast<std::size_t>(
      std::count_if(streams_.begin(), streams_.end(), [](const Stream& stream) { return stream.fd >= 0; }));
}

}  // namespace ringway::bench
