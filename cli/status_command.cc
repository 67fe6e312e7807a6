// ringway status
#include <memory>

#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/fleet_view.h"

namespace ringway::cli {
namespace {

int Status(Session& session) {
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  const absl::StatusOr<v1::StatusReply> reply = admin->Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  if (!reply.ok()) return Fail(session, reply.status());
  session.out << (session.json ? MessageJson(*reply) : StatusText(*reply, session.colour));
  return kExitOk;
}

}  // namespace

void AddStatusCommand(CLI::App& app, Session& session) {
  CLI::App* status = app.add_subcommand("status", "controller, routers, and the load of every region");
  status->callback([&session] { session.run = [&session] { return Status(session); }; });
}

}  // namespace ringway::cli
