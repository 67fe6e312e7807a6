#include "router/session/ledger_leader.h"

#include <algorithm>
#include <type_traits>

namespace ringway::router {

void LedgerLeader::Step(Time now, const LeaderEvent& event, std::vector<LeaderAction>& actions) {
  std::visit([&](const auto& e) { Step(now, e, actions); }, event);
}

void LedgerLeader::FinishTurn(Time now, bool held, Actions& actions) {
  if (!away_.empty()) ForgetAway(now, actions);
  if (!holding()) return;
  if (uncontrolled_since_ != InfiniteFuture() && !cut_off_) CutOffIfDue(now, actions);
  if (!held) beat_at_ = now;
  if (cut_off_) return;
  if (now >= beat_at_) {
    Beat(now, actions);
  } else if (!listeners_.empty() && now >= (ledger_.Hint() == told_ ? late_due_ : hints_due_)) {
    SendHints(now, now, actions);
  }
}

void LedgerLeader::On(Time now, const LeaderWake&, Actions& actions) { Tell(now, ledger::Wake{}, actions); }

void LedgerLeader::On(Time now, const LeadershipGiven& event, Actions& actions) {
  Tell(now, ledger::Appointed{event.appointment, event.fresh}, actions);
}

void LedgerLeader::On(Time now, const LeadershipMoved& event, Actions& actions) {
  Tell(now, ledger::Deposed{event.to}, actions);
}

void LedgerLeader::On(Time now, const ControllerSeen& event, Actions&) {
  if (!event.connected) {
    uncontrolled_since_ = std::min(uncontrolled_since_, now);
    return;
  }
  uncontrolled_since_ = InfiniteFuture();
  cut_off_ = false;
}

void LedgerLeader::On(Time now, const ClientConnected& event, Actions& actions) {
  if (Stands(event.router)) {
    Tell(now, ledger::RouterAway{event.router}, actions);
  } else {
    if (!stands_.contains(event.router)) stands_.resize(event.router.index() + 1, false);
    stands_[event.router] = true;
    clients_.push_back(event.router);
  }
  std::erase_if(away_, [&](const Away& away) { return away.router == event.router; });
  if (holding() && !cut_off_) {
    actions.emplace_back(SendHeartbeat{event.router, ledger_.appointment(), ledger_.others().Hears(now)});
  }
}

void LedgerLeader::On(Time now, const ClientDisconnected& event, Actions& actions) {
  if (!Stands(event.router)) return;
  stands_[event.router] = false;
  std::erase(clients_, event.router);
  away_.push_back({event.router, now});
  Tell(now, ledger::RouterAway{event.router}, actions);
}

void LedgerLeader::On(Time, const ListenerConnected& event, Actions&) {
  std::erase_if(listeners_, [&](const Listener& l) { return l.router == event.router; });
  listeners_.push_back({.router = event.router, .period = event.period});
}

void LedgerLeader::On(Time, const ListenerDisconnected& event, Actions&) {
  std::erase_if(listeners_, [&](const Listener& l) { return l.router == event.router; });
}

void LedgerLeader::On(Time now, const HintWanted& event, Actions& actions) {
  if (!holding() || cut_off_) return;
  for (Listener& listener : listeners_) {
    if (listener.router == event.router) Hint(now, listener, NextHint(), event.number, actions);
  }
}

// Whom the words name as their router does not count.
void LedgerLeader::On(Time now, const RouterHeard& event, Actions& actions) {
  if (!Stands(event.router)) return;
  if (const auto* acquire = std::get_if<ledger::Acquire>(&event.said)) {
    ledger::Acquire own = *acquire;
    own.key.router = event.router;
    if (!cut_off_) return Tell(now, own, actions);
    actions.emplace_back(TellRouter{event.router, ledger::Refuse{own.key, ledger::RefuseReason::kNotLeader}});
  } else if (const auto* withdraw = std::get_if<ledger::Withdraw>(&event.said)) {
    ledger::Withdraw own = *withdraw;
    own.key.router = event.router;
    Tell(now, own, actions);
  } else if (const auto* renew = std::get_if<ledger::Renew>(&event.said)) {
    ledger::Renew own = *renew;
    own.router = event.router;
    Tell(now, own, actions);
  } else if (const auto* release = std::get_if<ledger::Release>(&event.said)) {
    Tell(now, *release, actions);
  }  // the rest is not a router's to say
}

void LedgerLeader::Perform(const ledger::LedgerAction& action, Actions& actions) const {
  std::visit(
      [&](const auto& a) {
        using Kind = std::decay_t<decltype(a)>;
        if constexpr (std::is_same_v<Kind, ledger::FenceWorker>) {
          actions.emplace_back(FenceOff{a.worker, ledger_.appointment(), a.upto});
        } else if constexpr (std::is_same_v<Kind, ledger::Revoke>) {
          actions.emplace_back(FenceOff{a.worker, ledger_.appointment(), a.lease, true});
        } else if constexpr (std::is_same_v<Kind, ledger::LeaseLost>) {
          if (Stands(a.router)) actions.emplace_back(TellRouter{a.router, a});
        } else {
          if (Stands(a.key.router)) actions.emplace_back(TellRouter{a.key.router, a});
        }
      },
      action);
}

bool LedgerLeader::CountsOn(RouterId router) const {
  return Stands(router) ||
         std::any_of(away_.begin(), away_.end(), [&](const Away& away) { return away.router == router; });
}

void LedgerLeader::ForgetAway(Time now, Actions& actions) {
  while (!away_.empty() && now >= away_.front().since + settings_.away_max) {
    const RouterId router = away_.front().router;
    away_.erase(away_.begin());
    Tell(now, ledger::RouterGone{router}, actions);
  }
}

void LedgerLeader::CutOffIfDue(Time now, Actions& actions) {
  if (now < uncontrolled_since_ + settings_.uncontrolled_max) return;
  cut_off_ = true;
  // Whoever waits shall probe; nobody is granted what another leader may grant as well.
  for (const RouterId router : clients_) Tell(now, ledger::RouterAway{router}, actions);
}

void LedgerLeader::Beat(Time now, Actions& actions) {
  const Fence appointment = ledger_.appointment();
  const bool redirects = ledger_.others().Hears(now);
  for (const RouterId router : clients_) {
    actions.emplace_back(SendHeartbeat{router, appointment, redirects});
  }
  // Beats are not exact: one that comes a little early is not to be waited for a whole period more.
  SendHints(now, now + settings_.heartbeat_period / 2, actions);
  beat_at_ = now + settings_.heartbeat_period;
}

void LedgerLeader::SendHints(Time now, Time due, Actions& actions) {
  if (listeners_.empty()) return;
  told_ = ledger_.Hint();
  ledger::IdleHint hint = told_;
  hint.sequence = hints_ + 1;
  hints_due_ = late_due_ = InfiniteFuture();
  for (Listener& listener : listeners_) {
    const bool changed = listener.last.idle != hint.idle || listener.last.landings != hint.landings ||
                         listener.last.appointment != hint.appointment;
    const Duration period = changed ? listener.period : settings_.hint_period_max;
    if (due >= listener.told_at + period) {
      hints_ = hint.sequence;
      Hint(now, listener, hint, 0, actions);
    } else if (changed) {
      late_due_ = std::min(late_due_, listener.told_at + period);
    }
    hints_due_ = std::min(hints_due_, listener.told_at + listener.period);
  }
}

ledger::IdleHint LedgerLeader::NextHint() {
  ledger::IdleHint hint = ledger_.Hint();
  hint.sequence = ++hints_;
  return hint;
}

void LedgerLeader::Hint(Time now, Listener& listener, const ledger::IdleHint& hint, std::uint64_t answers,
                        Actions& actions) {
  listener.last = hint;
  listener.told_at = now;
  actions.emplace_back(SendHint{listener.router, hint, answers});
}

}  // namespace ringway::router
