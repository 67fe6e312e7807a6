#include "router/http/local_holder.h"

#include "runtime/clock.h"

namespace ringway::router {
namespace {

// Well within the silence after which a router gives its holder up.
constexpr absl::Duration kBeat = absl::Milliseconds(200);
// The machine's own number for itself, as the holder's key.
const RouterId kSelf(0);

ledger::LedgerSettings SettingsOf(const HttpPoolSpec& spec) {
  ledger::LedgerSettings settings;
  settings.workers_announce = false;
  settings.routers_max = 1;
  settings.waiting_max = spec.waiting_max;
  settings.service_bound = spec.service_bound;
  settings.abandoned_hold = spec.abandoned_hold;
  return settings;
}

}  // namespace

LocalHolder::LocalHolder(runtime::EventLoop& loop, const HttpPoolSpec& spec, TierId tier, ProxyHost& host)
    : tier_(tier),
      host_(host),
      ledger_(SettingsOf(spec)),
      wake_(loop, [this] { Step(ledger::Wake{}); }),
      beat_(loop, [this] { Beat(); }) {}

void LocalHolder::Sit() {
  const Fence fence{.leader_epoch = 0, .appointment = 1};
  Step(ledger::Appointed{.appointment = fence, .fresh = true});
  host_.Tell(HolderSeated{tier_, {.router = kSelf, .fence = fence}});
  Beat();
}

void LocalHolder::List(WorkerId worker) { Step(ledger::WorkerListed{worker}); }

void LocalHolder::Unlist(WorkerId worker) { Step(ledger::WorkerGone{worker}); }

void LocalHolder::Step(const ledger::LedgerEvent& event) {
  // Answers are told after this step: telling may ask the ledger again.
  std::vector<ledger::LedgerAction> actions = std::move(actions_);
  actions.clear();
  ledger_.Step(runtime::MonotonicNow(), event, actions);
  wake_.Arm(ledger_.NextWake());
  for (const ledger::LedgerAction& action : actions) host_.Tell(HolderAnswered{tier_, action});
  actions_ = std::move(actions);
}

void LocalHolder::Beat() {
  host_.Tell(HolderHeard{tier_});
  beat_.Arm(runtime::MonotonicNow() + kBeat);
}

}  // namespace ringway::router
