#include "controller/daemon/history_store.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/daemon/history_level.h"
#include "controller/wire/past_table.h"
#include "controller/wire/state_codec.h"
#include "runtime/event_loop.h"

namespace ringway::controller {
namespace {

bool Concerns(const v1::PastTable& entry, const std::string& tier) {
  // A table that moved nothing marks a start, a new topology or a new epoch: for all tiers.
  if (tier.empty() || entry.moved().empty()) return true;
  return std::any_of(entry.moved().begin(), entry.moved().end(),
                     [&](const v1::TierMoved& moved) { return moved.tier() == tier; });
}

v1::PastTable EntryOf(const TableInForce& came, const v1::PastTable* before) {
  v1::PastTable entry;
  entry.set_epoch(came.table->version.epoch);
  entry.set_version(came.table->version.version);
  entry.set_at_unix_us(ToUnixMicros(came.at));
  entry.set_cause(came.cause);
  *entry.mutable_whole() = EncodeWholeTable(*came.table, *came.traffic.fleet);
  if (before == nullptr) return entry;
  for (const v1::TierTable& tier : entry.whole().tiers()) {
    const TierDifference difference =
        Difference(before->whole(), entry.whole(), tier.tier(), came.traffic.Of(tier.tier()));
    if (difference.rows == 0) continue;
    v1::TierMoved* moved = entry.add_moved();
    moved->set_tier(tier.tier());
    moved->set_rows(static_cast<std::uint32_t>(difference.rows));
    moved->set_share(difference.moved_share);
    moved->set_most(LargestMove(difference));
  }
  return entry;
}

}  // namespace

DemandOf TrafficNow::Of(std::string_view tier) const {
  const auto id = fleet->FindTier(tier);
  if (!id || !demand_rps.contains(*id)) return [](std::string_view, std::string_view) { return 0.0; };
  return [this, id = *id](std::string_view region, std::string_view priority) {
    const std::vector<std::string>& priorities = fleet->tiers[id].priorities;
    const auto source = fleet->world.FindRegion(region);
    const auto p = std::find(priorities.begin(), priorities.end(), priority);
    if (!source || p == priorities.end() || !demand_rps[id].contains(*source)) return 0.0;
    return demand_rps[id][*source][static_cast<std::size_t>(p - priorities.begin())];
  };
}

struct HistoryStore::Disk {
  Disk(const std::string& directory, const HistoryLimits& limits, runtime::Logger logger,
       std::function<void(bool)> listener)
      : levels{HistoryLevel(directory + "/all", {ZeroDuration(), limits.total_bytes_max / 2, limits.age_max}),
               HistoryLevel(directory + "/minutes", {Minutes(1), limits.total_bytes_max / 4, limits.age_max}),
               HistoryLevel(directory + "/hours", {Hours(1), limits.total_bytes_max / 4, limits.age_max})},
        log(std::move(logger)),
        told(std::move(listener)),
        loop("history") {
    loop.Start();
  }

  void Open() {
    for (HistoryLevel& level : levels) {
      for (const std::string& said : level.Check()) log.Error(said);
    }
    last = levels.front().Newest();
    if (!last) return;
    for (HistoryLevel& level : levels) level.Hold(*last);
  }

  void Write(const TableInForce& came) {
    v1::PastTable entry = EntryOf(came, last ? &*last : nullptr);
    absl::Status written;
    for (HistoryLevel& level : levels) written.Update(level.Add(entry));
    last = std::move(entry);
    told(written.ok());
    if (std::exchange(failing, !written.ok()) == !written.ok()) return;
    if (written.ok()) {
      log.Info("the table history is written again");
    } else {
      log.Error(absl::StrCat("tables are missing from the history until its disk can be written: ",
                             written.message()));
    }
  }

  // The answer of the level that knows best: the newest table, and of two the same either.
  template <class Ask>
  std::optional<v1::PastTable> Best(Ask ask) const {
    std::optional<v1::PastTable> best;
    for (const HistoryLevel& level : levels) {
      auto found = ask(level);
      if (found && (!best || VersionOf(*found) > VersionOf(*best))) best = std::move(found);
    }
    return best;
  }

  Listed List(const HistoryQuery& query) const {
    Listed listed;
    std::map<TableVersion, v1::PastTable> newest;
    const std::size_t limit = std::min(query.limit, kListMax);
    for (const HistoryLevel& level : levels) {
      level.List(
          query.since, query.until,
          [&](v1::PastTable entry) {
            if (!Concerns(entry, query.tier)) return;
            newest[VersionOf(entry)] = std::move(entry);
            if (newest.size() > limit) newest.erase(newest.begin());
          },
          listed.notes);
    }
    for (auto entry = newest.rbegin(); entry != newest.rend(); ++entry) {
      listed.tables.push_back(std::move(entry->second));
    }
    return listed;
  }

  std::array<HistoryLevel, 3> levels;
  const runtime::Logger log;
  const std::function<void(bool)> told;
  std::optional<v1::PastTable> last;
  bool failing = false;
  std::atomic<std::size_t> pending{0};
  std::atomic<bool> stopped{false};
  runtime::EventLoop loop;
};

HistoryStore::HistoryStore(std::string directory, const HistoryLimits& limits, runtime::Logger log,
                           std::function<void(bool)> told)
    : disk_(std::make_unique<Disk>(directory, limits, std::move(log), std::move(told))) {
  (void)disk_->loop.Post([disk = disk_.get()] { disk->Open(); });
}

HistoryStore::~HistoryStore() { Stop(); }

void HistoryStore::Stop() {
  if (disk_->stopped.exchange(true)) return;
  std::promise<void> done;
  if (disk_->loop.Post([&done] { done.set_value(); })) done.get_future().wait();
  disk_->loop.Stop();
}

void HistoryStore::Add(TableInForce came) {
  if (disk_->pending.fetch_add(1) < kPendingMax && !disk_->stopped &&
      disk_->loop.Post([disk = disk_.get(), came = std::move(came)] {
        disk->Write(came);
        disk->pending.fetch_sub(1);
      })) {
    return;
  }
  disk_->pending.fetch_sub(1);
  disk_->told(false);
}

bool HistoryStore::Find(TableVersion version, Found answer) {
  return !disk_->stopped &&
         disk_->loop.Post([disk = disk_.get(), version, answer = std::move(answer)]() mutable {
           answer(disk->Best([version](const HistoryLevel& level) { return level.Find(version); }));
         });
}

bool HistoryStore::FindAt(Time at, Found answer) {
  return !disk_->stopped && disk_->loop.Post([disk = disk_.get(), at, answer = std::move(answer)]() mutable {
    answer(disk->Best([at](const HistoryLevel& level) { return level.FindAt(at); }));
  });
}

bool HistoryStore::List(HistoryQuery query, absl::AnyInvocable<void(Listed)> answer) {
  return !disk_->stopped &&
         disk_->loop.Post([disk = disk_.get(), query = std::move(query),
                           answer = std::move(answer)]() mutable { answer(disk->List(query)); });
}

}  // namespace ringway::controller
