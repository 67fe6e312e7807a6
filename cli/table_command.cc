// ringway table [--tier TIER]
#include <memory>

#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/fleet_view.h"

namespace ringway::cli {
namespace {

int Table(Session& session, const std::string& tier) {
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  v1::GetTableRequest request;
  request.set_tier(tier);
  const absl::StatusOr<v1::RoutingTable> reply = admin->Call(&v1::Admin::Stub::GetTable, request);
  if (!reply.ok()) return Fail(session, admin->WithSuggestion(reply.status(), {tier}));
  if (session.json) {
    session.out << MessageJson(*reply);
    return kExitOk;
  }
  // For the names of the rings; without an answer they have numbers.
  const absl::StatusOr<v1::StatusReply> status = admin->Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  session.out << RoutingText(*reply, status.ok() ? *status : v1::StatusReply(), session.colour);
  return kExitOk;
}

}  // namespace

void AddTableCommand(CLI::App& app, Session& session) {
  CLI::App* table = app.add_subcommand("table", "the routing table in force: who sends what where, and why");
  const auto tier = std::make_shared<std::string>();
  table->add_option("--tier", *tier, "only this tier");
  table->callback([&session, tier] { session.run = [&session, tier] { return Table(session, *tier); }; });
}

}  // namespace ringway::cli
