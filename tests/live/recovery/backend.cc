#include "tests/live/recovery/backend.h"

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "tests/live/recovery/fleet.h"

namespace ringway::live {

void Backend::Start() {
  server_ = std::make_unique<http_test::PlainWorker>(
      [this](const http_test::Request& request, http_test::Wire& wire) { return Serve(request, wire); },
      address_);
  address_ = server_->address();
}

void Backend::Kill() {
  stopped_ = false;  // a script that waits at the gate would keep its thread
  server_.reset();
}

bool Backend::Serve(const http_test::Request& request, http_test::Wire& wire) {
  const auto wait_while_stopped = [this] {
    while (stopped_) absl::SleepFor(Milliseconds(2));
  };
  const std::string body = http_test::ReadBody(request, wire);
  wait_while_stopped();
  if (request.method() == "GET") return http_test::Respond(wire, 200, "well");
  if (absl::StrContains(body, "bad")) return http_test::Respond(wire, 500, "cannot be drawn");
  absl::SleepFor(kService);
  wait_while_stopped();
  return http_test::Respond(wire, 200, "drawn");
}

}  // namespace ringway::live
