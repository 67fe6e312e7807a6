#include "tests/live/keyed_load.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/rng.h"
#include "tests/live/job_call.h"

namespace ringway::live {
namespace {

// A killed process is back after this.
constexpr Duration kDown = Seconds(1);
// Between two kills of routers: the one that came back has learnt its records again.
constexpr Duration kBetweenKills = Seconds(2);
constexpr Duration kRetryPause = Milliseconds(100);

class KeyedRun {
 public:
  KeyedRun(SmallWorld& world, const KeyedLoad& load) : world_(world), load_(load) {
    for (const auto& [name, process] : world.routers()) doors_.push_back(world.Door(name));
  }

  KeyedReport Run() {
    std::vector<std::thread> clients;
    for (int c = 0; c < load_.clients; ++c) {
      clients.emplace_back([this, c] { Client(load_.seed * 1000 + static_cast<std::uint64_t>(c)); });
    }
    KillAround();
    for (std::thread& client : clients) client.join();
    report_.keys = load_.keys;
    for (const auto& [key, runs] : runs_) {
      if (runs.size() <= 1) continue;
      ++report_.duplicates;
      Problem(absl::StrCat("key ", key, " has ", runs.size(), " completions: ", *runs.begin(), " and ",
                           *std::next(runs.begin())));
    }
    return report_;
  }

 private:
  void Problem(const std::string& text) {
    if (report_.problem.empty()) report_.problem = text;
  }

  void Client(std::uint64_t seed) {
    Rng rng(seed);
    for (std::size_t key = next_key_++; key < load_.keys; key = next_key_++) {
      const Time give_up = absl::Now() + load_.key_limit;
      bool done = false;
      std::string last;
      for (int n = 0; !done && absl::Now() < give_up; ++n) done = AskOnce(rng, key, n, last);
      const std::lock_guard lock(mutex_);
      report_.done += done ? 1 : 0;
      if (!done) Problem(absl::StrCat("key ", key, " came to no result; last: ", last));
    }
  }

  // True: a result came.
  bool AskOnce(Rng& rng, std::size_t key, int n, std::string& last) {
    const std::string name = absl::StrCat("key-", load_.seed, "-", key);
    v1::JobHeader header = Header(kTier, absl::StrCat(name, "-", n));
    header.set_idempotency_key(name);
    JobCall call = JobCall::ToRouter(*doors_[rng.Below(doors_.size())]);
    call.Send(header, name);
    const bool hangs_up = rng.Chance(load_.lost_share);
    if (hangs_up) {
      absl::SleepFor(Milliseconds(60) * rng.Uniform());
      call.Cancel();
    }
    const JobAnswer answer = call.Await();
    const std::lock_guard lock(mutex_);
    ++report_.requests;
    if (answer.outcome() == "done") {
      // A worker measures each run on its own: no two of them take the same number of nanoseconds.
      runs_[key].insert(absl::StrCat(answer.end.trace().worker(), " ",
                                     static_cast<std::int64_t>(answer.end.trace().service_s() * 1e9)));
      if (answer.end.trace().reason() == "record") ++report_.answered_from_record;
      // Thrown away: this client believes that its reply was lost, and asks again.
      if (!rng.Chance(load_.lost_share)) return true;
      ++report_.lost_replies;
      return false;
    }
    if (hangs_up) {
      ++report_.lost_replies;
    } else if (!answer.status.ok()) {
      ++report_.broken_calls;
      last = answer.status.error_message();
    } else if (!answer.end.message().empty()) {
      ++report_.clear_errors;
      last = answer.end.message();
    } else {
      ++report_.silent;
      Problem(absl::StrCat("key ", key, ": outcome '", answer.outcome(), "' without a word"));
    }
    mutex_.unlock();
    absl::SleepFor(kRetryPause);
    mutex_.lock();
    return false;
  }

  // On the caller's thread, until the clients have taken the last key.
  void KillAround() {
    Rng rng(load_.seed, 99);
    const int kills = load_.router_kills + load_.worker_kills;
    for (int k = 0; k < kills; ++k) {
      const std::size_t at =
          load_.keys * static_cast<std::size_t>(k + 1) / static_cast<std::size_t>(kills + 2);
      while (next_key_ < at) absl::SleepFor(Milliseconds(5));
      const bool router =
          k % 2 == 0 ? report_.router_kills < load_.router_kills : report_.worker_kills >= load_.worker_kills;
      const auto& pool = router ? world_.routers() : world_.workers();
      DaemonProcess& victim =
          *std::next(pool.begin(), static_cast<std::ptrdiff_t>(rng.Below(pool.size())))->second;
      victim.Kill();
      absl::SleepFor(kDown);
      victim.StartAgain();
      ++(router ? report_.router_kills : report_.worker_kills);
      if (router) absl::SleepFor(kBetweenKills);
    }
  }

  SmallWorld& world_;
  const KeyedLoad load_;
  std::vector<std::unique_ptr<v1::Ingress::Stub>> doors_;
  std::atomic<std::size_t> next_key_{0};
  std::mutex mutex_;
  std::map<std::size_t, std::set<std::string>> runs_;
  KeyedReport report_;
};

}  // namespace

std::string KeyedReport::Line() const {
  return absl::StrCat(keys, " keys, ", requests, " requests, ", router_kills, " routers and ", worker_kills,
                      " workers killed, ", lost_replies, " replies lost: ", done, " done, ", duplicates,
                      " duplicates, ", silent, " silent; ", answered_from_record, " from records, ",
                      clear_errors, " clear errors, ", broken_calls, " broken calls");
}

KeyedReport RunKeyedLoad(SmallWorld& world, const KeyedLoad& load) { return KeyedRun(world, load).Run(); }

}  // namespace ringway::live
