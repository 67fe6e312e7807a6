// Any bytes as an ask or a reply about a key: reading never crashes, and what it lets through is as others
// rely on, survives being written and read again, and does no harm to a table of records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "core/check.h"
#include "router/once/once_machine.h"
#include "router/wire/once_codec.h"

namespace ringway::router {
namespace {

const Time kNow = FromUnixSeconds(1000);

void CheckRecord(const once::Record& record) {
  RINGWAY_CHECK(!record.key.empty() && record.key.size() <= kOnceKeyBytesMax);
  RINGWAY_CHECK(record.claim.stated() && record.until >= kNow);
  RINGWAY_CHECK(!(record.done && record.free));
}

void ReadAsk(const std::string& bytes) {
  v1::OnceRequest message;
  if (!message.ParseFromString(bytes)) return;
  const auto ask = DecodeAsk(message, kNow);
  if (!ask.ok()) {
    RINGWAY_CHECK(!ask.status().message().empty());
    return;
  }
  RINGWAY_CHECK(DecodeAsk(EncodeAsk(*ask, kNow), kNow).ok());
  once::OnceMachine machine({.router = "fuzz"});
  machine.Asked(kNow, 1, *ask);
  RINGWAY_CHECK(machine.actions().size() == 1);
  machine.Begin(kNow, JobId(0), "tenant\nkey", 7, kNow + Seconds(5));
}

void ReadReply(const std::string& bytes) {
  v1::OnceReply message;
  if (!message.ParseFromString(bytes)) return;
  const auto reply = DecodeReply(message, kNow);
  if (!reply.ok()) {
    RINGWAY_CHECK(!reply.status().message().empty());
    return;
  }
  for (const once::Record& record : reply->records) CheckRecord(record);
  // Whatever a peer answers to everything, a request comes to its end.
  once::OnceMachine machine({.router = "fuzz", .alone = false});
  machine.List(kNow, RouterId(1), "peer");
  machine.UseView(kNow, once::MakeView({1, 1}, {"fuzz", "peer"}));
  machine.Begin(kNow, JobId(0), "tenant\nkey", 7, kNow + Seconds(5));
  Time now = kNow;
  for (int step = 0; step < 200 && machine.requests() > 0; ++step) {
    for (const once::OnceAction& action : std::exchange(machine.actions(), {})) {
      if (const auto* send = std::get_if<once::SendRequest>(&action)) {
        machine.Replied(now, send->to, send->request, &*reply);
      } else if (std::holds_alternative<once::Granted>(action)) {
        machine.Drop(now, JobId(0), 0);
      }
    }
    if (!machine.actions().empty() || machine.requests() == 0) continue;
    if (machine.NextWake() == InfiniteFuture()) break;
    now = std::max(now, machine.NextWake());
    machine.Wake(now);
  }
  RINGWAY_CHECK(machine.requests() == 0);
}

}  // namespace
}  // namespace ringway::router

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  if (bytes[0] % 2 == 0) {
    ringway::router::ReadAsk(rest);
  } else {
    ringway::router::ReadReply(rest);
  }
  return 0;
}
