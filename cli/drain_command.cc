// ringway drain REGION | --worker NAME | --host HOST, and undrain
#include <memory>

#include "cli/operator_action.h"
#include "cli/order_dry_run.h"
#include "cli/worker_drain.h"

namespace ringway::cli {
namespace {

struct DrainOptions {
  v1::DrainRegionRequest region;
  v1::DrainWorkersRequest workers;
  bool OfWorkers() const { return !workers.worker().empty() || !workers.host().empty(); }
};

// What of the fleet the order is about, and nothing that does not go with it.
void CheckWhom(const flags::Command& command, const DrainOptions& options) {
  const int named =
      !options.region.region().empty() + !options.workers.worker().empty() + !options.workers.host().empty();
  if (named != 1) {
    flags::Refuse(command.name(),
                  named == 0 ? "found nobody to " + command.name() +
                                   "; exactly one of REGION, --worker NAME and --host HOST is needed"
                             : "found several of REGION, --worker and --host; exactly one is allowed");
  }
  if (!options.OfWorkers()) return;
  for (const char* option : {"--share", "--force", "--tier", "--dry-run"}) {
    if (command.Given(option))
      flags::Refuse(option, "is for regions; it does not go with --worker or --host");
  }
  if (!options.workers.drain() && command.Given("--for")) {
    flags::Refuse("--for", "is for drains of workers; `undrain` of a worker counts for good");
  }
}

void AddRegionOptions(flags::Command command, const std::shared_ptr<v1::DrainRegionRequest>& request) {
  command.AddText(
      "REGION", [request](const std::string& region) { request->set_region(region); }, "region");
  if (request->drain()) {
    command
        .AddNumber(
            "--share", [request](double share) { request->set_share(share); },
            "of the region's capacity, for example 0.5 [all of it]")
        .In(0.001, 1.0);
    command.AddFlag(
        "--force", [request] { request->set_force(true); },
        "also when the rest of the fleet has no room for the traffic");
  }
  AddTermOption(command, request);
  AddActionOptions(command, request);
}

void AddOne(flags::Command app, Session& session, bool drain) {
  flags::Command command =
      app.Subcommand(drain ? "drain" : "undrain",
                     drain ? "move a region's traffic away, at the guard's pace; or let workers finish"
                           : "give a drained region its traffic back, or drained workers");
  const auto options = std::make_shared<DrainOptions>();
  options->region.set_drain(drain);
  options->workers.set_drain(drain);
  AddRegionOptions(command, {options, &options->region});
  command.AddText(
      "--worker", [options](const std::string& name) { options->workers.set_worker(name); },
      "instead of a region: one worker, by its name");
  command.AddText(
      "--host", [options](const std::string& host) { options->workers.set_host(host); },
      "instead of a region: every worker on this host");
  const auto dry = AddDryRunOption(command);
  command.OnChosen([&session, options, command, dry] {
    CheckWhom(command, *options);
    session.run = [&session, options, dry] {
      if (!options->OfWorkers()) return RunOrder(session, &v1::Admin::Stub::Drain, options->region, *dry);
      options->workers.set_for_s(options->region.for_s());
      options->workers.mutable_by()->set_why(options->region.by().why());
      return DrainWorkers(session, options->workers);
    };
  });
}

}  // namespace

void AddDrainCommands(flags::Command app, Session& session) {
  AddOne(app, session, true);
  AddOne(app, session, false);
}

}  // namespace ringway::cli
