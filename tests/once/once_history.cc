#include "tests/once/once_history.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace ringway::router::once {
namespace {

// The peer's shell gives up on an ask after this; an attach waits as long as it says.
constexpr Duration kAskLimit = Milliseconds(300);
// Nobody dies again before the last one has come back and caught up.
constexpr Duration kBetweenDeaths = Seconds(1);

}  // namespace

History::History(std::uint64_t seed, const HistorySettings& settings)
    : rng_(seed), settings_(settings), routers_(settings.routers), cut_(settings.routers, false) {
  std::vector<std::string> all;
  for (std::size_t r = 0; r < routers_.size(); ++r) all.push_back(Name(r));
  views_.push_back(MakeView({1, 1}, std::move(all)));
  for (std::size_t r = 0; r < routers_.size(); ++r) StartRouter(r);
}

void History::At(Time when, std::function<void()> what) { due_.emplace(when, std::move(what)); }

Duration History::Delay() {
  if (!calm_ && rng_.Chance(settings_.late)) return Seconds(rng_.Uniform() * 4);
  return Milliseconds(1) + Milliseconds(20) * rng_.Exponential();
}

std::size_t History::Live() const {
  std::size_t live = 0;
  for (const Router& router : routers_) {
    const OnceMachine* machine = router.machine.get();
    live += machine != nullptr && machine->ready() && machine->view() == views_.back()->id ? 1 : 0;
  }
  return live;
}

void History::ChangeView(std::vector<std::string> names) {
  const ViewId last = views_.back()->id;
  const bool restarted = rng_.Chance(0.2);
  const TableVersion number{last.epoch + (restarted ? 1 : 0), restarted ? 1 : last.version + 1};
  // A controller that lost its disk does not know which went before.
  std::vector<KnownView> before = views_.back()->before;
  before.insert(before.begin(),
                {.view = MakeView({last.epoch, last.version}, views_.back()->names), .left = now_});
  if (restarted && rng_.Chance(0.3)) {
    before.clear();
    names = views_.front()->names;  // all that have connected to it
  }
  views_.push_back(MakeView(number, std::move(names), std::move(before)));
  ++counts_.views;
  for (std::size_t r = 0; r < routers_.size(); ++r) {
    if (!calm_ && rng_.Chance(0.3)) continue;
    const auto give = [this, r, number = views_.size() - 1] { GiveView(r, number); };
    At(now_ + Seconds(rng_.Chance(0.5) ? 0.05 : 2) * rng_.Uniform(), give);
    if (rng_.Chance(0.2)) At(now_ + Seconds(4) * rng_.Uniform(), give);
  }
}

std::vector<std::string> History::SomeNames() {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < routers_.size(); ++r) {
    if (rng_.Chance(0.7)) names.push_back(Name(r));
  }
  if (names.empty()) names.push_back(Name(rng_.Below(routers_.size())));
  return names;
}

void History::GiveView(std::size_t r, std::size_t number) {
  if (routers_[r].machine == nullptr) return;
  routers_[r].machine->UseView(now_, views_[number]);
  Perform(r);
}

void History::CutOff() {
  for (std::size_t r = 0; r < cut_.size(); ++r) cut_[r] = rng_.Chance(0.4);
  At(now_ + Seconds(3) * rng_.Uniform(), [this] { cut_.assign(cut_.size(), false); });
}

void History::StartRouter(std::size_t r) {
  Router& router = routers_[r];
  ++router.life;
  router.machine = std::make_unique<OnceMachine>(
      Settings{.router = Name(r), .life = router.life, .alone = false, .hold_margin = Seconds(1)});
  for (std::size_t other = 0; other < routers_.size(); ++other) {
    if (other != r) router.machine->List(now_, RouterId(other), Name(other));
  }
  // What is on its disk may be out of date.
  const std::size_t back = std::min(views_.size() - 1, rng_.Chance(0.3) ? rng_.Below(3) : 0);
  GiveView(r, views_.size() - 1 - back);
  if (back > 0) At(now_ + Seconds(2) * rng_.Uniform(), [this, r] { GiveView(r, views_.size() - 1); });
}

void History::KillRouter(std::size_t r) {
  Router& router = routers_[r];
  ++counts_.deaths;
  for (auto& [job, request] : router.requests) {
    ++counts_.lost_with_router;
    if (request.running) StopRunning(request.key, request.run);
  }
  router.requests.clear();
  router.calls.clear();
  router.machine.reset();
  ++router.life;
  At(now_ + Seconds(rng_.Uniform() * 2), [this, r] { StartRouter(r); });
}

void History::Perform(std::size_t r) {
  // Each action may cause others; the machine's list is taken whole each time.
  while (routers_[r].machine != nullptr && !routers_[r].machine->actions().empty()) {
    const std::vector<OnceAction> actions = std::exchange(routers_[r].machine->actions(), {});
    for (const OnceAction& action : actions) {
      std::visit([&](const auto& a) { Do(r, a); }, action);
    }
  }
}

void History::Do(std::size_t r, const SendRequest& send) {
  const std::uint64_t life = routers_[r].life;
  const std::size_t to = send.to.index();
  const bool apart = !calm_ && cut_[r] != cut_[to];
  const bool lose = apart || (!calm_ && rng_.Chance(settings_.loss));
  const bool lose_reply = !calm_ && rng_.Chance(settings_.loss);
  const auto* attach = std::get_if<AttachRequest>(&send.request.what);
  const Duration limit = attach != nullptr ? attach->patience : kAskLimit;
  // A call that has run out of time is not delivered any more.
  const Duration delay = Delay();
  const bool arrives = !lose && delay < limit;
  if (arrives) {
    At(now_ + delay,
       [=, this, request = send.request] { DeliverAsk(r, life, to, request, true, lose_reply); });
  }
  const Duration again = Delay();
  if (!calm_ && again < limit && rng_.Chance(settings_.repeat)) {
    At(now_ + again, [=, this, request = send.request] { DeliverAsk(r, life, to, request, false, true); });
  }
  if (!arrives || lose_reply) {
    At(now_ + limit, [=, this, request = send.request] { ReplyTo(r, life, to, request, nullptr); });
  }
}

void History::DeliverAsk(std::size_t from, std::uint64_t life, std::size_t to, const Request& request,
                         bool want_reply, bool lose_reply) {
  Router& peer = routers_[to];
  if (peer.machine == nullptr) {
    if (want_reply && !lose_reply) ReplyTo(from, life, to, request, nullptr);
    return;
  }
  const CallId call = ++peer.last_call;
  const std::uint64_t peer_life = peer.life;
  if (want_reply && !lose_reply) {
    peer.calls[call] = [=, this](const Reply& reply) {
      At(now_ + Delay(), [=, this] { ReplyTo(from, life, to, request, &reply); });
    };
    // A peer that dies breaks the call.
    const auto* attach = std::get_if<AttachRequest>(&request.what);
    const Duration limit = attach != nullptr ? attach->patience : kAskLimit;
    At(now_ + limit, [=, this] {
      const Router& now_there = routers_[to];
      if (now_there.life != peer_life)
        ReplyTo(from, life, to, request, nullptr);
      else if (routers_[to].calls.erase(call) > 0)
        ReplyTo(from, life, to, request, nullptr);
    });
  }
  Request received = request;
  received.ticket = 0;
  peer.machine->Asked(now_, call, received);
  Perform(to);
}

void History::ReplyTo(std::size_t from, std::uint64_t life, std::size_t to, const Request& request,
                      const Reply* reply) {
  if (routers_[from].life != life || routers_[from].machine == nullptr) return;
  routers_[from].machine->Replied(now_, RouterId(to), request, reply);
  Perform(from);
}

void History::Do(std::size_t r, const AnswerCall& answer) {
  const auto found = routers_[r].calls.find(answer.call);
  if (found == routers_[r].calls.end()) return;
  const auto reply = std::move(found->second);
  routers_[r].calls.erase(found);
  reply(answer.reply);
}

void History::Do(std::size_t r, const Granted& granted) {
  Entered& request = routers_[r].requests.at(granted.job);
  request.running = true;
  request.attempt = ++last_attempt_;
  request.run = absl::StrCat("run-", ++runs_);
  ++counts_.runs;
  if (!running_[request.key].empty()) {
    broken_ = absl::StrCat("two jobs of one key run at a time: ", *running_[request.key].begin(), " and ",
                           request.run);
  }
  running_[request.key].insert(request.run);
  const std::uint64_t life = routers_[r].life;
  At(now_ + settings_.job_mean * rng_.Exponential(),
     [this, r, life, job = granted.job] { FinishJob(r, life, job); });
}

void History::FinishJob(std::size_t r, std::uint64_t life, JobId job) {
  Router& router = routers_[r];
  const auto found = router.requests.find(job);
  if (router.machine == nullptr || router.life != life || found == router.requests.end()) return;
  Entered& request = found->second;
  StopRunning(request.key, request.run);
  request.running = false;
  if (rng_.Chance(0.2)) {
    router.machine->Drop(now_, job, 0);
    router.requests.erase(job);
  } else {
    request.settling = true;
    if (!settings_.settle_first) Deliver(request.key, request.run);
    router.machine->Settle(now_, job, {.end = std::make_shared<const std::string>(request.run)});
  }
  Perform(r);
}

void History::Do(std::size_t r, const Settled& settled) {
  Entered& request = routers_[r].requests.at(settled.job);
  Deliver(request.key, request.run);
  ++counts_.delivered;
  routers_[r].requests.erase(settled.job);
}

void History::Do(std::size_t r, const Unsettled& unsettled) {
  if (unsettled.message.empty()) broken_ = "not delivered without a word";
  ++counts_.refused;
  routers_[r].requests.erase(unsettled.job);
}

void History::Do(std::size_t r, const Answered& answered) {
  Deliver(routers_[r].requests.at(answered.job).key, *answered.result.end);
  ++counts_.answered;
  routers_[r].requests.erase(answered.job);
}

void History::Do(std::size_t r, const Refused& refused) {
  if (refused.message.empty()) broken_ = "refused without a word";
  ++counts_.refused;
  routers_[r].requests.erase(refused.job);
}

void History::StopRunning(std::size_t key, const std::string& run) { running_[key].erase(run); }

void History::Deliver(std::size_t key, const std::string& run) {
  delivered_[key].insert(run);
  if (delivered_[key].size() > 1) {
    broken_ =
        absl::StrCat("two completions of one key were delivered: ", absl::StrJoin(delivered_[key], ", "));
  }
}

void History::ClientAsks() {
  const std::size_t r = rng_.Below(routers_.size());
  Router& router = routers_[r];
  if (router.machine == nullptr) return;
  ++counts_.requests;
  const JobId job(router.next_job++);
  const auto turn =
      static_cast<std::size_t>(ToDoubleSeconds(now_ - start_) / ToDoubleSeconds(settings_.turn));
  const std::size_t key = turn * settings_.keys + rng_.Below(settings_.keys);
  const Time deadline = now_ + settings_.deadline * (0.2 + rng_.Uniform());
  router.requests[job] = {
      .key = key,
      .deadline = deadline,
      .run = "",
  };
  router.machine->Begin(now_, job, KeyName(key), 7, deadline);
  At(deadline, [this, r, life = router.life, job] { Expire(r, life, job); });
  Perform(r);
}

// The deadline, or the client leaving: the job is withdrawn, its worker stops a moment later.
void History::Expire(std::size_t r, std::uint64_t life, JobId job) {
  Router& router = routers_[r];
  const auto found = router.requests.find(job);
  if (router.machine == nullptr || router.life != life || found == router.requests.end()) return;
  const Entered request = found->second;
  router.machine->Drop(now_, job, request.running ? request.attempt : 0);
  router.requests.erase(job);
  if (request.running) {
    At(now_ + Milliseconds(100) * rng_.Uniform(), [this, r, life, request] {
      StopRunning(request.key, request.run);
      if (routers_[r].machine == nullptr || routers_[r].life != life) return;
      routers_[r].machine->AttemptOver(now_, request.attempt);
      Perform(r);
    });
  }
  Perform(r);
}

void History::ClientLeaves(std::size_t r) {
  const Router& router = routers_[r];
  if (router.requests.empty()) return;
  Expire(r, router.life, router.requests.begin()->first);
}

std::string History::Run(Duration span) {
  const Time end = now_ + span;
  bool was_calm = false;
  Time next_death = now_ + Seconds(1);
  // Afterwards everything must come to rest: longer than any deadline, hold and delay.
  const Time rest = end + Seconds(20);
  while (broken_.empty() && now_ < rest) {
    calm_ = now_ >= end;
    now_ += Milliseconds(2);
    for (std::size_t r = 0; r < routers_.size(); ++r) {
      if (routers_[r].machine == nullptr || routers_[r].machine->NextWake() > now_) continue;
      routers_[r].machine->Wake(now_);
      Perform(r);
    }
    while (!due_.empty() && due_.begin()->first <= now_) {
      const std::function<void()> what = std::move(due_.begin()->second);
      due_.erase(due_.begin());
      what();
    }
    if (calm_ && !was_calm) ChangeView(views_.front()->names);  // which reaches everybody
    was_calm = calm_;
    if (calm_) continue;
    if (rng_.Chance(0.002 * settings_.view_rate)) ChangeView(SomeNames());
    if (rng_.Chance(0.002 * settings_.cut_rate)) CutOff();
    if (rng_.Chance(0.05)) ClientAsks();
    if (rng_.Chance(0.005)) ClientLeaves(rng_.Below(routers_.size()));
    // One or two replicas cannot lose a memory: their keys need somebody who remembers.
    if (Live() < routers_.size() || views_.back()->names.size() < kReplicasMax)
      next_death = now_ + kBetweenDeaths;
    if (now_ >= next_death && rng_.Chance(0.002 * settings_.death_rate)) {
      KillRouter(rng_.Below(routers_.size()));
    }
  }
  if (!broken_.empty()) return broken_;
  for (std::size_t r = 0; r < routers_.size(); ++r) {
    if (!routers_[r].requests.empty()) return absl::StrCat("a request at ", Name(r), " never ends");
    if (routers_[r].machine->requests() != 0)
      return absl::StrCat("a request at ", Name(r), " outlives its job");
  }
  return "";
}

}  // namespace ringway::router::once
