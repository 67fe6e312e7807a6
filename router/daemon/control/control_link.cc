#include "router/daemon/control/control_link.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "router/wire/control_codec.h"
#include "runtime/grpc_server.h"

namespace ringway::router {
namespace {

// The longest wait is short, because a restarted controller is to be obeyed within two seconds.
constexpr StreamTerms kTerms = {
    .retry_first = Milliseconds(100), .retry_max = Milliseconds(500), .queue_max = ControlLink::kQueueMax};

}  // namespace

ControlLink::ControlLink(runtime::EventLoop& loop, StreamCount& streams, const std::string& address,
                         const std::string& token, std::uint64_t seed, const runtime::Logger& log,
                         ControlSink& sink, OrderRecords& orders)
    : address_(address),
      log_(log),
      sink_(sink),
      orders_(orders),
      stream_(
          loop, streams, kTerms, seed,
          {.dial = [stub = std::shared_ptr(
                        v1::Control::NewStub(runtime::MakeChannel(address, runtime::kFleetBytesMax, token)))](
                       grpc::ClientContext& context, auto& call) { stub->async()->Connect(&context, &call); },
           .greet =
               [&sink] {
                 v1::RouterMessage hello;
                 *hello.mutable_hello() = sink.MakeHello();
                 return hello;
               },
           .hear = [this](const v1::ControllerMessage& message) { Hear(message); },
           .lost = [this](const grpc::Status& status) { Lost(status); }}) {
  stream_.OpenSoon();
}

void ControlLink::Hear(const v1::ControllerMessage& message) {
  if (message.has_welcome()) {
    const auto welcomed = DecodeWelcome(message.welcome());
    if (!welcomed.ok()) {
      log_.Error(absl::StrCat("controller at ", address_, ": ", welcomed.status().message()));
      return stream_.Break();
    }
    welcomed_ = true;
    complained_ = false;
    stream_.Settle();
    orders_.Welcomed(message.welcome().records_orders());
    sink_.OnWelcome(message.welcome().controller(), *welcomed);
  } else if (!welcomed_) {
    log_.Error(absl::StrCat("controller at ", address_, ": spoke before its Welcome"));
    stream_.Break();
  } else if (message.has_fleet_map()) {
    sink_.OnFleetMap(message.fleet_map());
  } else if (message.has_directory()) {
    sink_.OnDirectory(message.directory());
  } else if (message.has_table()) {
    sink_.OnTable(message.table());
  } else if (message.has_orders_recorded()) {
    orders_.Recorded(message.orders_recorded().number());
  }
}

void ControlLink::Lost(const grpc::Status& status) {
  const bool was_welcomed = std::exchange(welcomed_, false);
  if (was_welcomed || !complained_) {
    complained_ = true;
    log_.Warning(absl::StrCat("no controller at ", address_, ": ",
                              status.ok() ? "it closed the stream" : status.error_message(),
                              "; the last table stands"));
  }
  if (was_welcomed) sink_.OnControllerLost();
}

void ControlLink::Send(v1::RouterMessage message) {
  if (welcomed_) stream_.Send(std::move(message));
}

}  // namespace ringway::router
