// ringway workers [--region REGION] [--tier TIER] [--state STATE] [--watch [SECONDS]]
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "cli/admin_client.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/operations_client.h"
#include "cli/watch.h"
#include "core/json.h"

namespace ringway::cli {
namespace {

struct WorkersOptions {
  std::string region;
  std::string tier;
  std::string state;
};

Style StyleOf(const std::string& state) {
  if (state == "unreachable") return Style::kBad;
  if (state == "draining" || state == "resting") return Style::kWarning;
  return state == "busy" ? Style::kGood : Style::kPlain;
}

std::string StateText(const v1::WorkerListing& worker) {
  if (!worker.has_drain_left_s()) return worker.state();
  return absl::StrCat(worker.state(), ", ", SpanText(worker.drain_left_s()), " left");
}

bool Wanted(const WorkersOptions& options, const v1::WorkerListing& worker) {
  return (options.region.empty() || worker.region() == options.region) &&
         (options.tier.empty() || worker.tier() == options.tier) &&
         (options.state.empty() || worker.state() == options.state);
}

// A region or tier that none of the workers is of.
absl::Status CheckNames(const WorkersOptions& options, const std::vector<v1::WorkerListing>& workers) {
  std::set<std::string> regions, tiers;
  for (const v1::WorkerListing& worker : workers) {
    regions.insert(worker.region());
    tiers.insert(worker.tier());
  }
  for (const auto& [what, word, known] :
       {std::tuple("--region", options.region, regions), std::tuple("--tier", options.tier, tiers)}) {
    if (word.empty() || known.contains(word)) continue;
    return WithNearest(
        absl::NotFoundError(absl::StrCat(what, " is \"", word, "\", of which no worker is known")), word,
        {known.begin(), known.end()});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> LookAtWorkers(Session& session, const WorkersOptions& options,
                                          const WatchChoice& watch) {
  absl::StatusOr<OperationsClient> routers = OperationsClient::Connect(session);
  if (!routers.ok()) return routers.status();
  const absl::StatusOr<std::vector<v1::WorkerListing>> workers = routers->Workers();
  if (!workers.ok()) return workers.status();
  const std::string note = LookNote(session, watch, routers->Silent());
  if (absl::Status status = CheckNames(options, *workers); !status.ok()) return status;
  JsonWriter json;
  json.BeginObject().Key("workers").BeginArray();
  TextTable table({{"WORKER"}, {"TIER"}, {"REGION"}, {"HOST"}, {"STATE"}, {"FOR", Align::kRight}, {"JOB"}});
  for (const v1::WorkerListing& worker : *workers) {
    if (!Wanted(options, worker)) continue;
    json.Raw(MessageJson(worker));
    table.Add({worker.name(),
               worker.tier(),
               worker.region(),
               worker.host(),
               {StateText(worker), StyleOf(worker.state())},
               worker.has_since_s() ? SpanText(worker.since_s()) : "-",
               worker.job()});
  }
  json.End().End();
  if (session.json) return LookJson(json.text(), watch);
  return (table.empty() ? "no such workers\n" : table.Render(session.colour)) + note;
}

}  // namespace

void AddWorkersCommand(flags::Command app, Session& session) {
  flags::Command command = app.Subcommand("workers", "each worker: what it does, and for how long");
  const auto options = std::make_shared<WorkersOptions>();
  command.Add("--region", options->region, "only workers of this region");
  command.Add("--tier", options->tier, "only workers of this tier");
  command.Add("--state", options->state, "only workers in this state")
      .TypeName("idle|busy|draining|resting|unreachable|unwatched")
      .Check(OneOf({"idle", "busy", "draining", "resting", "unreachable", "unwatched"}));
  const auto watch = AddWatchOption(command);
  command.OnChosen([&session, options, watch] {
    session.run = [&session, options, watch] {
      return Watch(session, *watch, [&] { return LookAtWorkers(session, *options, *watch); });
    };
  });
}

}  // namespace ringway::cli
