// ringway history [--watch [SECONDS]], ringway diff TABLE [TABLE]
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/fleet_view.h"
#include "cli/table_name.h"
#include "cli/watch.h"
#include "cli/when.h"

namespace ringway::cli {
namespace {

std::string VersionText(const v1::PastTable& table) {
  return absl::StrCat(table.epoch(), ".", table.version());
}

// One line for each tier that moved; one for a table that moved nothing.
void AddLines(const v1::PastTable& table, const std::string& tier, TextTable& text) {
  const std::string when = WhenText(FromUnixMicros(table.at_unix_us()));
  bool any = false;
  for (const v1::TierMoved& moved : table.moved()) {
    if (!tier.empty() && moved.tier() != tier) continue;
    text.Add({VersionText(table), when, moved.tier(), absl::StrCat(moved.rows()), Percent(moved.share()),
              moved.most(), table.cause()});
    any = true;
  }
  if (!any) text.Add({VersionText(table), when, "", "", "", "", table.cause()});
}

absl::StatusOr<std::string> LookAtHistory(AdminClient& admin, Session& session,
                                          const v1::HistoryRequest& request, const WatchChoice& watch) {
  const absl::StatusOr<v1::HistoryReply> reply = admin.Call(&v1::Admin::Stub::History, request);
  if (!reply.ok()) return admin.WithSuggestion(reply.status(), {request.tier()});
  if (session.json) return LookJson(*reply, watch);
  const Align right = Align::kRight;
  TextTable table(
      {{"TABLE"}, {"IN FORCE FROM"}, {"TIER"}, {"ROWS", right}, {"TRAFFIC", right}, {"MOST"}, {"WHY"}});
  for (const v1::PastTable& past : reply->tables()) AddLines(past, request.tier(), table);
  std::string text = table.empty() ? "no table is kept of that time\n" : table.Render(session.colour);
  for (const std::string& note : reply->notes()) text += LookNote(session, watch, note);
  return text;
}

int Diff(Session& session, const v1::DiffRequest& request) {
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  const absl::StatusOr<v1::DiffReply> reply = admin->Call(&v1::Admin::Stub::Diff, request);
  if (!reply.ok()) return Fail(session, admin->WithSuggestion(reply.status(), {request.tier()}));
  if (session.json) {
    session.out << MessageJson(*reply);
    return kExitOk;
  }
  const auto name = [](const v1::PastTable& table) {
    return absl::StrCat("table ", VersionText(table), " of ", WhenText(FromUnixMicros(table.at_unix_us())));
  };
  session.out << name(reply->before()) << " -> " << name(reply->after()) << "\n";
  if (reply->rows() == 0) {
    session.out << "no row is different\n";
    return kExitOk;
  }
  const Align right = Align::kRight;
  TextTable table(
      {{"FROM"}, {"PRIORITY"}, {"TO"}, {"BEFORE", right}, {"AFTER", right}, {"TRAFFIC NOW", right}, {"WHY"}});
  for (const v1::RouteMoved& move : reply->moved()) {
    const bool refused = move.target().empty();
    table.Add({move.source(), move.priority(),
               refused                          ? "nowhere"
               : move.target() == move.source() ? "home"
                                                : move.target(),
               Percent(move.before()),
               Cell(Percent(move.after()), refused && move.after() > 0 ? Style::kBad : Style::kPlain),
               absl::StrFormat("%+.2f/s", move.moved_rps()),
               refused ? std::string() : std::string(ReasonText(move.reason()))});
  }
  session.out << table.Render(session.colour)
              << absl::StrFormat(
                     "%d rows are different; of the traffic of now %.2f/s, %s, would go another way\n",
                     reply->rows(), reply->moved_rps(), Percent(reply->moved_share()));
  return kExitOk;
}

void AddHistory(flags::Command app, Session& session) {
  flags::Command command =
      app.Subcommand("history", "the tables that were in force: when, why, and what moved");
  const auto request = std::make_shared<v1::HistoryRequest>();
  request->set_limit(50);
  command.AddText(
      "--tier", [request](const std::string& tier) { request->set_tier(tier); },
      "only tables that moved something of this tier");
  const auto moment = [command, request](const char* option, const std::string& help,
                                         void (v1::HistoryRequest::*set)(std::int64_t)) {
    command.Add(option, help).Check([request, set](std::string& text) {
      const absl::StatusOr<Time> at = ReadWhen(text, absl::Now());
      if (at.ok()) ((*request).*set)(ToUnixMicros(*at));
      return std::string(at.status().message());
    });
  };
  moment("--since", "date and time (UTC), or how long ago", &v1::HistoryRequest::set_since_unix_us);
  moment("--until", "date and time (UTC), or how long ago", &v1::HistoryRequest::set_until_unix_us);
  command
      .AddCount(
          "--limit", [request](std::uint32_t limit) { request->set_limit(limit); }, "newest tables [50]")
      .In(1, 10000);
  const auto watch = AddWatchOption(command);
  command.OnChosen([&session, request, watch] {
    session.run = [&session, request, watch] {
      return WatchController(session, *watch, [&](AdminClient& admin) {
        return LookAtHistory(admin, session, *request, *watch);
      });
    };
  });
}

void AddDiff(flags::Command app, Session& session) {
  flags::Command command = app.Subcommand("diff", "what is different between two tables");
  const auto request = std::make_shared<v1::DiffRequest>();
  command.Add("BEFORE", "EPOCH.VERSION, or a moment: the table that was in force then")
      .Required()
      .Check(TableNameInto([request]() -> v1::TableName& { return *request->mutable_before(); }));
  command.Add("AFTER", "the same; without it the table in force")
      .Check(TableNameInto([request]() -> v1::TableName& { return *request->mutable_after(); }));
  command.AddText(
      "--tier", [request](const std::string& tier) { request->set_tier(tier); },
      "needed if there are several");
  command.OnChosen(
      [&session, request] { session.run = [&session, request] { return Diff(session, *request); }; });
}

}  // namespace

void AddHistoryCommands(flags::Command app, Session& session) {
  AddHistory(app, session);
  AddDiff(app, session);
}

}  // namespace ringway::cli
