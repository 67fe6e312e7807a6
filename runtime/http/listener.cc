#include "runtime/http/listener.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "runtime/address.h"

namespace ringway::http {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;
using Tcp = asio::ip::tcp;

std::uint32_t Ticks(Duration span) {
  return static_cast<std::uint32_t>(std::ceil(std::clamp(FDivDuration(span, Listener::kTick), 1.0, 1e9)));
}

}  // namespace

Listener::Listener(runtime::EventLoop& loop, const ListenerSettings& settings, Application& application)
    : loop_(loop),
      settings_(settings),
      limits_{.header_bytes_max = settings.header_bytes_max,
              .header_ticks = Ticks(settings.header_timeout),
              .idle_ticks = Ticks(settings.idle_timeout),
              .stall_ticks = Ticks(settings.stall_timeout)},
      application_(application),
      acceptor_(loop.context()),
      tick_(loop.context()) {}

Listener::~Listener() {
  *alive_ = false;
  Close();
}

absl::Status Listener::Listen() {
  auto address = runtime::ParseAddress(settings_.listen);
  if (!address.ok()) return address.status();
  ErrorCode failed;
  const auto ip = asio::ip::make_address(address->host == "localhost" ? "127.0.0.1" : address->host, failed);
  if (failed) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", settings_.listen, "': the host must be an IP address or localhost"));
  }
  const Tcp::endpoint endpoint(ip, address->port);
  acceptor_.open(endpoint.protocol(), failed);
  if (!failed) acceptor_.set_option(asio::socket_base::reuse_address(true), failed);
  if (!failed) acceptor_.bind(endpoint, failed);
  if (!failed) acceptor_.listen(asio::socket_base::max_listen_connections, failed);
  if (!failed) acceptor_.non_blocking(true, failed);
  if (failed) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", settings_.listen, ": ", failed.message()));
  }
  address->port = acceptor_.local_endpoint().port();
  address_ = address->ToString();
  Accept();
  OnTick();
  return absl::OkStatus();
}

// Waits for a newcomer before it makes room for one.
void Listener::Accept() {
  if (accepting_ || draining_ || !acceptor_.is_open()) return;
  accepting_ = true;
  acceptor_.async_wait(Tcp::acceptor::wait_read, [this, alive = alive_](const ErrorCode& failed) {
    if (!*alive || failed == asio::error::operation_aborted) return;
    accepting_ = false;
    if (!failed) OnNewcomer();
  });
}

// Where it returns without Accept, the next tick tries again: rather than this moment, which would be a spin.
void Listener::OnNewcomer() {
  if (draining_ || !acceptor_.is_open()) return;
  if (connections_.size() >= settings_.connections_max) {
    std::erase_if(connections_, [](const auto& connection) { return !connection->open(); });
  }
  if (connections_.size() >= settings_.connections_max && !GiveUpLongestWaiting()) return;
  ErrorCode failed;
  Tcp::socket accepted(loop_.context());
  acceptor_.accept(accepted, failed);
  if (failed && failed != asio::error::would_block && failed != asio::error::connection_aborted) {
    (void)GiveUpLongestWaiting();
    return;
  }
  if (!failed) Admit(std::move(accepted));
  Accept();
}

bool Listener::GiveUpLongestWaiting() {
  // Of those that wait as long the oldest: they are in the order of their coming.
  std::size_t longest = connections_.size();
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    const auto waits = connections_[i]->waits();
    if (waits && (longest == connections_.size() || *waits > *connections_[longest]->waits())) longest = i;
  }
  if (longest == connections_.size()) return false;
  connections_[longest]->Close();
  connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(longest));
  return true;
}

void Listener::Admit(Tcp::socket accepted) {
  ErrorCode failed;
  const Tcp::endpoint peer = accepted.remote_endpoint(failed);
  if (failed) return;  // gone already
  auto connection = std::make_shared<ServerConnection>(loop_.context(), application_, limits_);
  connection->raw_socket() = std::move(accepted);
  connections_.push_back(connection);
  connection->Start(peer.address().to_string());
}

void Listener::OnTick() {
  // By index: a connection's end may let the application do anything but add one here.
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (connections_[i]->open()) connections_[i]->OnTick();
  }
  std::erase_if(connections_, [](const auto& connection) { return !connection->open(); });
  Accept();
  tick_.expires_after(absl::ToChronoMilliseconds(kTick));
  tick_.async_wait([this, alive = alive_](const ErrorCode& cancelled) {
    if (*alive && !cancelled) OnTick();
  });
}

void Listener::Drain() {
  draining_ = true;
  ErrorCode ignored;
  acceptor_.close(ignored);
  for (std::size_t i = 0; i < connections_.size(); ++i) connections_[i]->CloseWhenAnswered();
}

void Listener::Close() {
  Drain();
  for (const auto& connection : connections_) connection->Close();
  connections_.clear();
  tick_.cancel();
}

}  // namespace ringway::http
