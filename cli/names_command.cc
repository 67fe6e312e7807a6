// ringway names regions|tiers|routers
#include <memory>
#include <set>

#include "cli/admin_client.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "core/json.h"

namespace ringway::cli {
namespace {

int Names(Session& session, const std::string& what) {
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  const absl::StatusOr<v1::StatusReply> reply = admin->Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  if (!reply.ok()) return Fail(session, reply.status());
  std::set<std::string> names;
  for (const v1::TierStatus& tier : reply->tiers()) {
    if (what == "tiers") names.insert(tier.tier());
    for (const v1::RegionStatus& region : tier.regions())
      if (what == "regions") names.insert(region.region());
  }
  for (const v1::RouterStatus& router : reply->routers())
    if (what == "routers") names.insert(router.name());
  if (session.json) {
    JsonWriter json;
    json.Texts({names.begin(), names.end()});
    session.out << json.text() << "\n";
    return kExitOk;
  }
  for (const std::string& name : names) session.out << name << "\n";
  return kExitOk;
}

}  // namespace

void AddNamesCommand(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("names", "the names of regions, tiers or routers, one a line, for scripts");
  const auto what = std::make_shared<std::string>();
  command->add_option("WHAT", *what, "regions, tiers or routers")
      ->required()
      ->type_name("regions|tiers|routers")
      ->check(OneOf({"regions", "tiers", "routers"}));
  command->callback([&session, what] { session.run = [&session, what] { return Names(session, *what); }; });
}

}  // namespace ringway::cli
