// ringway names regions|tiers|priorities|routers|contexts|workers|hosts|jobs
#include <memory>
#include <set>

#include "cli/admin_client.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/context/context_file.h"
#include "cli/jobs_listed.h"
#include "cli/operations_client.h"
#include "core/json.h"

namespace ringway::cli {
namespace {

int Show(Session& session, const std::set<std::string>& names) {
  if (session.json) {
    JsonWriter json;
    json.Texts({names.begin(), names.end()});
    session.out << json.text() << "\n";
    return kExitOk;
  }
  for (const std::string& name : names) session.out << name << "\n";
  return kExitOk;
}

// What routers know, and no controller.
int NamesAtRouters(Session& session, const std::string& what) {
  absl::StatusOr<OperationsClient> routers = OperationsClient::Connect(session);
  if (!routers.ok()) return Fail(session, routers.status());
  std::set<std::string> names;
  if (what == "jobs") {
    const auto replies = routers->Jobs(v1::ListJobsRequest());
    if (!replies.ok()) return Fail(session, replies.status());
    for (const v1::JobListing& job : Listed(*replies).jobs) names.insert(job.id());
  } else {
    const auto workers = routers->Workers();
    if (!workers.ok()) return Fail(session, workers.status());
    for (const v1::WorkerListing& worker : *workers)
      names.insert(what == "workers" ? worker.name() : worker.host());
  }
  return Show(session, names);
}

// From a file: no controller is asked.
int ContextNames(Session& session) {
  const absl::StatusOr<context::Contexts> contexts = context::ReadContexts(context::ContextsPath());
  if (!contexts.ok()) return Fail(session, contexts.status());
  std::set<std::string> names;
  for (const context::Context& one : contexts->all) names.insert(one.name);
  return Show(session, names);
}

int Names(Session& session, const std::string& what) {
  if (what == "contexts") return ContextNames(session);
  if (what == "workers" || what == "hosts" || what == "jobs") return NamesAtRouters(session, what);
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  const absl::StatusOr<v1::StatusReply> reply = admin->Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  if (!reply.ok()) return Fail(session, reply.status());
  std::set<std::string> names;
  for (const v1::TierStatus& tier : reply->tiers()) {
    if (what == "tiers") names.insert(tier.tier());
    if (what == "priorities") names.insert(tier.priorities().begin(), tier.priorities().end());
    for (const v1::RegionStatus& region : tier.regions())
      if (what == "regions") names.insert(region.region());
  }
  for (const v1::RouterStatus& router : reply->routers())
    if (what == "routers") names.insert(router.name());
  return Show(session, names);
}

}  // namespace

void AddNamesCommand(flags::Command app, Session& session) {
  flags::Command command =
      app.Subcommand("names", "the names of what is in the fleet, one a line, for scripts");
  const auto what = std::make_shared<std::string>();
  command.Add("WHAT", *what, "what is named")
      .Required()
      .TypeName("regions|tiers|priorities|routers|contexts|workers|hosts|jobs")
      .Check(OneOf({"regions", "tiers", "priorities", "routers", "contexts", "workers", "hosts", "jobs"}));
  command.OnChosen([&session, what] { session.run = [&session, what] { return Names(session, *what); }; });
}

}  // namespace ringway::cli
