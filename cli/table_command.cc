// ringway table [--tier TIER] [--watch [SECONDS]]
#include <memory>

#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/fleet_view.h"
#include "cli/watch.h"

namespace ringway::cli {
namespace {

absl::StatusOr<std::string> LookAtTable(AdminClient& admin, const Session& session, const std::string& tier,
                                        const WatchChoice& watch) {
  v1::GetTableRequest request;
  request.set_tier(tier);
  const absl::StatusOr<v1::RoutingTable> reply = admin.Call(&v1::Admin::Stub::GetTable, request);
  if (!reply.ok()) return admin.WithSuggestion(reply.status(), {tier});
  if (session.json) return LookJson(*reply, watch);
  // For the names of the rings; without an answer they have numbers.
  const absl::StatusOr<v1::StatusReply> status = admin.Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  return RoutingText(*reply, status.ok() ? *status : v1::StatusReply(), session.colour);
}

}  // namespace

void AddTableCommand(flags::Command app, Session& session) {
  flags::Command table = app.Subcommand("table", "the routing table in force: who sends what where, and why");
  const auto tier = std::make_shared<std::string>();
  table.Add("--tier", *tier, "only this tier");
  const auto watch = AddWatchOption(table);
  table.OnChosen([&session, tier, watch] {
    session.run = [&session, tier, watch] {
      return WatchController(session, *watch,
                             [&](AdminClient& admin) { return LookAtTable(admin, session, *tier, *watch); });
    };
  });
}

}  // namespace ringway::cli
