// ringway status [--routers] [--watch [SECONDS]]
#include <memory>
#include <string>

#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/fleet_view.h"
#include "cli/watch.h"

namespace ringway::cli {
namespace {

absl::StatusOr<std::string> LookAtStatus(AdminClient& admin, const Session& session, bool routers,
                                         const WatchChoice& watch) {
  const absl::StatusOr<v1::StatusReply> reply = admin.Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  if (!reply.ok()) return reply.status();
  return session.json ? LookJson(*reply, watch) : StatusText(*reply, routers, session.colour);
}

}  // namespace

void AddStatusCommand(flags::Command app, Session& session) {
  flags::Command status =
      app.Subcommand("status", "the load of every region, what is wrong, and the routers");
  const auto routers = std::make_shared<bool>(false);
  status.AddFlag("--routers", *routers, "list every router, however many there are");
  const auto watch = AddWatchOption(status);
  status.Add("--interval", watch->interval_s, "the SECONDS of --watch, as earlier releases had them")
      .In(0.1, 3600.0);
  status.OnChosen([&session, routers, watch] {
    session.run = [&session, routers, watch] {
      return WatchController(session, *watch, [&](AdminClient& admin) {
        return LookAtStatus(admin, session, *routers, *watch);
      });
    };
  });
}

}  // namespace ringway::cli
