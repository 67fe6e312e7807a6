#include "controller/wire/control_codec.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "controller/wire/report_codec.h"
#include "controller/wire/state_codec.h"
#include "proto/table_codec.h"

namespace ringway::controller {
namespace {

constexpr std::size_t kRefusalBytesMax = 500;

}  // namespace

NodeEvent ReadMessage(StreamId stream, const v1::RouterMessage& message, const Fleet& fleet) {
  const auto refused = [&](const absl::Status& why) {
    return StreamEvent(MessageRefused{stream, message.has_hello(), std::string(why.message())});
  };
  if (message.has_hello()) {
    auto hello = DecodeHello(message.hello(), fleet);
    if (!hello.ok()) return refused(hello.status());
    return ControllerEvent(RouterConnected{stream, *std::move(hello)});
  }
  if (message.has_report()) {
    auto report = DecodeReport(message.report(), fleet);
    if (!report.ok()) return refused(report.status());
    return ControllerEvent(RouterReported{stream, *std::move(report)});
  }
  if (message.has_ack()) {
    const v1::Ack& ack = message.ack();
    return ControllerEvent(RouterAcked{
        stream, {ack.epoch(), ack.version()}, ack.active(), ack.refusal().substr(0, kRefusalBytesMax)});
  }
  return refused(absl::InvalidArgumentError("a message that is neither Hello, Report nor Ack"));
}

v1::Welcome EncodeWelcome(std::uint64_t epoch, const ControllerSettings& settings) {
  v1::Welcome welcome;
  welcome.set_wire_version(wire::kWireVersion);
  welcome.set_epoch(epoch);
  welcome.set_report_period_s(ToDoubleSeconds(settings.report_period));
  welcome.set_controller(settings.name);
  welcome.set_records_orders(true);
  return welcome;
}

v1::Directory EncodeDirectoryAt(Time now, const Directory& directory, const Fleet& fleet, RegionId region) {
  v1::Directory message = EncodeDirectory(directory, fleet, region);
  for (v1::PastView& past : *message.mutable_before()) {
    past.set_left_s(ToDoubleSeconds(now - FromUnixNanos(past.left_unix_ns())));
  }
  return message;
}

}  // namespace ringway::controller
