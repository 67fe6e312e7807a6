#include "sim/fleet/once_calls.h"

#include <optional>
#include <utility>
#include <variant>

#include "sim/fleet/wire.h"
#include "sim/observers/observer.h"

namespace ringway::sim {
namespace {

// As router/daemon/once/once_link.cc has it.
constexpr std::int64_t kCallLimitNs = 1'000'000'000;

std::int64_t LimitNs(const router::once::Request& request) {
  const auto* attach = std::get_if<router::once::AttachRequest>(&request.what);
  return kCallLimitNs + (attach != nullptr ? ToInt64Nanoseconds(attach->patience) : 0);
}

}  // namespace

OnceCalls::OnceCalls(Stage& stage, Routers& routers) : stage_(stage), routers_(routers) {
  routers_.on_ask = [this](RouterId router, const router::AskReplica& ask) { Ask(router, ask); };
  routers_.on_once_answer = [this](RouterId router, const router::AnswerOnce& answer) {
    Answer(router, answer);
  };
}

void OnceCalls::Ask(RouterId router, const router::AskReplica& ask) {
  stage_.kinds.once_requests.Count(ask.request.what);
  if (const auto* claim = std::get_if<router::once::ClaimRequest>(&ask.request.what)) {
    for (Observer* observer : stage_.observers) observer->OnClaimAsked(stage_.Now(), ask.to, claim->claim);
  }
  const std::uint32_t number = Send(router, ask, 0);
  if (stage_.network.Repeats()) Send(router, ask, number);
}

std::uint32_t OnceCalls::Send(RouterId router, const router::AskReplica& ask, std::uint32_t repeats) {
  const std::uint32_t number = ++last_;
  calls_[number] = {.from = router,
                    .from_life = routers_.life(router),
                    .to = ask.to,
                    .to_life = 0,
                    .repeats = repeats,
                    .request = ask.request,
                    .read = std::nullopt,
                    .reply = {}};
  const std::int64_t late_ns = stage_.network.LateNs();
  // Whoever repeats it has a patience of its own.
  stage_.After(LimitNs(ask.request) + (repeats != 0 ? late_ns : 0), Happening::kCallEnds, router.value(),
               number);
  const auto delay = stage_.network.DelayNs(routers_.places()[router], routers_.places()[ask.to]);
  if (!delay) return number;
  if (stage_.wire != nullptr) {
    Call& call = calls_[number];
    call.read = ask.request;
    call.malformed = !stage_.wire->Carry(WayBetween(stage_, *delay, router, ask.to), *call.read);
  }
  stage_.After(*delay + late_ns, Happening::kAskReaches, ask.to.value(), number);
  return number;
}

void OnceCalls::OnAskReaches(std::uint32_t number) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  Call& call = found->second;
  const RouterId to = call.to;
  if (!routers_.alive(to) || call.malformed) {
    const auto delay = stage_.network.DelayNs(routers_.places()[to], routers_.places()[call.from]);
    if (delay) stage_.After(*delay, Happening::kCallEnds, call.from.value(), number);
    return;
  }
  call.to_life = routers_.life(to);
  router::OnceAsked asked{.call = number, .request = call.read ? *call.read : call.request};
  asked.request.ticket = 0;  // does not travel
  routers_.Step(to, asked);
  routers_.Rest(to);
}

void OnceCalls::Answer(RouterId router, const router::AnswerOnce& answer) {
  ++stage_.kinds.once_verdicts[static_cast<std::size_t>(answer.reply.verdict)];
  const auto number = static_cast<std::uint32_t>(answer.call);
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  Call& call = found->second;
  if (call.to != router || call.to_life != routers_.life(router)) return;
  call.reply = answer.reply;
  const auto delay = stage_.network.DelayNs(routers_.places()[router], routers_.places()[call.from]);
  if (!delay) return;
  call.malformed = stage_.wire != nullptr &&
                   !stage_.wire->Carry(WayBetween(stage_, *delay, router, call.from), call.reply);
  stage_.After(*delay + stage_.network.LateNs(), Happening::kReplyReaches, call.from.value(), number);
}

void OnceCalls::OnReplyReaches(std::uint32_t number) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  const router::once::Reply reply = std::move(found->second.reply);
  const bool malformed = found->second.malformed;
  const std::uint32_t repeats = found->second.repeats;
  if (repeats != 0) calls_.erase(found);
  End(repeats != 0 ? repeats : number, malformed ? nullptr : &reply);
}

void OnceCalls::OnCallEnds(std::uint32_t number) { End(number, nullptr); }

void OnceCalls::End(std::uint32_t number, const router::once::Reply* reply) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  const Call call = std::move(found->second);
  calls_.erase(found);
  if (call.repeats != 0) return;
  if (!routers_.alive(call.from) || routers_.life(call.from) != call.from_life) return;
  router::OnceReplied replied{.from = call.to, .request = call.request};
  if (reply != nullptr) replied.reply = *reply;
  routers_.Step(call.from, replied);
  routers_.Rest(call.from);
}

void OnceCalls::RouterDied(RouterId router) {
  for (auto& [number, call] : calls_) {
    if (call.to != router || call.to_life == 0) continue;
    const auto delay = stage_.network.DelayNs(routers_.places()[router], routers_.places()[call.from]);
    if (delay) stage_.After(*delay, Happening::kCallEnds, call.from.value(), number);
  }
}

}  // namespace ringway::sim
