#include "controller/daemon/history_calls.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/daemon/admin_replies.h"
#include "controller/daemon/dry_run_replies.h"
#include "controller/orders/commands.h"
#include "controller/wire/past_table.h"
#include "controller/wire/state_codec.h"
#include "controller/wire/table_difference.h"
#include "runtime/clock.h"

namespace ringway::controller {
namespace {

constexpr std::uint32_t kListDefault = 50;

absl::Status Busy() {
  return absl::ResourceExhaustedError(
      "the history of tables is busy, or the controller is going down: try again");
}

std::string TimeText(std::int64_t at_unix_us) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%SZ", FromUnixMicros(at_unix_us), absl::UTCTimeZone());
}

absl::Status NoSuchTable(const v1::TableName& name) {
  const std::string what = name.at_unix_us() != 0
                               ? absl::StrCat("no table of ", TimeText(name.at_unix_us()), " or before")
                               : absl::StrCat("table ", name.epoch(), ".", name.version());
  return absl::NotFoundError(absl::StrCat(what, " is not kept; `ringway history` lists those that are"));
}

v1::PastTable WithoutRows(const v1::PastTable& entry) {
  v1::PastTable head = entry;
  head.clear_whole();
  return head;
}

v1::DiffReply ReplyOf(const v1::PastTable& before, const v1::PastTable& after, const std::string& tier,
                      const TrafficNow& traffic) {
  const TierDifference difference = Difference(before.whole(), after.whole(), tier, traffic.Of(tier));
  v1::DiffReply reply;
  *reply.mutable_before() = WithoutRows(before);
  *reply.mutable_after() = WithoutRows(after);
  reply.set_rows(static_cast<std::uint32_t>(difference.rows));
  reply.set_demand_rps(difference.demand_rps);
  reply.set_moved_rps(difference.moved_rps);
  reply.set_moved_share(difference.moved_share);
  for (const RouteMove& move : difference.moves) {
    v1::RouteMoved* out = reply.add_moved();
    out->set_source(move.source);
    out->set_priority(move.priority);
    out->set_target(move.target);
    out->set_before(move.before);
    out->set_after(move.after);
    out->set_moved_rps(move.moved_rps);
    out->set_reason(move.reason);
  }
  return reply;
}

}  // namespace

bool HistoryCalls::Find(const v1::TableName& name, Found found) {
  const ControllerMachine& machine = control_.machine();
  if (name.at_unix_us() != 0) return store_.FindAt(FromUnixMicros(name.at_unix_us()), std::move(found));
  const bool in_force = name.epoch() == 0 && name.version() == 0;
  const TableVersion version{name.epoch(), name.version()};
  const auto kept = in_force ? machine.table() : machine.history().Find(version);
  if (kept == nullptr && in_force) return false;
  if (kept == nullptr) return store_.Find(version, std::move(found));
  v1::PastTable entry;
  entry.set_epoch(kept->version.epoch);
  entry.set_version(kept->version.version);
  entry.set_at_unix_us(ToUnixMicros(kept->planned_at));
  *entry.mutable_whole() = EncodeWholeTable(*kept, *machine.fleet());
  found(std::move(entry));
  return true;
}

void HistoryCalls::List(const v1::HistoryRequest& request, Answer<v1::HistoryReply> answer) {
  HistoryQuery query{.tier = request.tier()};
  if (!query.tier.empty()) {
    // A tier that is gone may still be in the history, but a misspelt one would look like a calm one.
    if (auto tier = FindTier(*control_.machine().fleet(), query.tier); !tier.ok())
      return answer(tier.status());
  }
  if (request.since_unix_us() != 0) query.since = FromUnixMicros(request.since_unix_us());
  if (request.until_unix_us() != 0) query.until = FromUnixMicros(request.until_unix_us());
  query.limit = request.limit() > 0 ? request.limit() : kListDefault;
  auto shared = std::make_shared<Answer<v1::HistoryReply>>(std::move(answer));
  const bool taken = store_.List(std::move(query), [shared](HistoryStore::Listed listed) {
    v1::HistoryReply reply;
    for (v1::PastTable& table : listed.tables) *reply.add_tables() = std::move(table);
    for (std::string& note : listed.notes) reply.add_notes(std::move(note));
    (*shared)(std::move(reply));
  });
  if (!taken) (*shared)(Busy());
}

void HistoryCalls::Diff(const v1::DiffRequest& request, Answer<v1::DiffReply> answer) {
  const auto tier = FindTier(*control_.machine().fleet(), request.tier());
  if (!tier.ok()) return answer(tier.status());
  if (control_.machine().table() == nullptr) {
    return answer(
        absl::FailedPreconditionError("no table is in force yet: the regions are still being heard of"));
  }
  struct Asked {
    v1::DiffRequest request;
    std::string tier;
    TrafficNow traffic;
    Answer<v1::DiffReply> answer;
    std::optional<v1::PastTable> after = std::nullopt;
  };
  auto asked = std::make_shared<Asked>(Asked{.request = request,
                                             .tier = control_.machine().fleet()->tiers[*tier].name,
                                             .traffic = control_.TrafficOf(),
                                             .answer = std::move(answer)});
  // One after the other, each from the loop, so that no two threads meet in `asked`.
  const bool taken = Find(request.after(), [this, asked](std::optional<v1::PastTable> after) {
    if (!after) return asked->answer(NoSuchTable(asked->request.after()));
    asked->after = std::move(after);
    const bool posted = control_.loop().Post([this, asked] {
      const bool second = Find(asked->request.before(), [asked](std::optional<v1::PastTable> before) {
        if (!before) return asked->answer(NoSuchTable(asked->request.before()));
        asked->answer(ReplyOf(*before, *asked->after, asked->tier, asked->traffic));
      });
      if (!second) asked->answer(Busy());
    });
    if (!posted) asked->answer(Busy());
  });
  if (!taken) asked->answer(Busy());
}

void HistoryCalls::Order(OperatorCommand command, Answer<v1::ActionReply> answer) {
  control_.Ask(std::move(command), [answer = std::move(answer)](const CommandAnswered& answered) mutable {
    answer(ActionReplyOf(answered));
  });
}

void HistoryCalls::WithTable(OperatorCommand command, std::optional<Time> at,
                             Answer<OperatorCommand> answer) {
  v1::TableName name;
  const TableVersion version = std::get<RollbackCommand>(command.what).version;
  if (at) {
    name.set_at_unix_us(ToUnixMicros(*at));
  } else if (control_.machine().history().Find(version) != nullptr || version == TableVersion{}) {
    return answer(std::move(command));
  } else {
    name.set_epoch(version.epoch);
    name.set_version(version.version);
  }
  struct Asked {
    OperatorCommand command;
    Answer<OperatorCommand> answer;
  };
  auto asked = std::make_shared<Asked>(Asked{std::move(command), std::move(answer)});
  const bool taken = Find(name, [this, name, asked](std::optional<v1::PastTable> found) {
    const bool posted = control_.loop().Post([this, name, asked, found = std::move(found)] {
      auto& rollback = std::get<RollbackCommand>(asked->command.what);
      if (!found && name.at_unix_us() != 0) return asked->answer(NoSuchTable(name));
      if (found) {
        auto table = DecodeUnder(found->whole(), *control_.machine().fleet());
        if (!table.ok()) {
          return asked->answer(absl::DataLossError(absl::StrCat(
              "table ", found->epoch(), ".", found->version(), " is damaged: ", table.status().message())));
        }
        rollback.version = table->version;
        rollback.table = std::make_shared<const RoutingTable>(*std::move(table));
      }
      // Without a table the machine refuses, and the audit log says so.
      asked->answer(std::move(asked->command));
    });
    if (!posted) asked->answer(Busy());
  });
  if (!taken) asked->answer(Busy());
}

void HistoryCalls::Rollback(OperatorCommand command, std::optional<Time> at, Answer<v1::ActionReply> answer) {
  WithTable(std::move(command), at,
            [this, answer = std::move(answer)](absl::StatusOr<OperatorCommand> found) mutable {
              if (!found.ok()) return answer(found.status());
              Order(*std::move(found), std::move(answer));
            });
}

void HistoryCalls::DryRun(const v1::DryRunRequest& request, Answer<v1::DryRunReply> answer) {
  auto order = OrderOf(request);
  if (!order.ok()) return answer(order.status());
  const std::int64_t at_unix_us = request.rollback_order().at_unix_us();
  std::optional<Time> at;
  if (at_unix_us != 0) at = FromUnixMicros(at_unix_us);
  WithTable(**std::move(order), at,
            [this, request, answer = std::move(answer)](absl::StatusOr<OperatorCommand> found) mutable {
              if (!found.ok()) return answer(found.status());
              answer(DryRunReplyOf(control_.machine(), request, *found, runtime::MonotonicNow()));
            });
}

}  // namespace ringway::controller
