// ringway drain REGION, ringway undrain REGION
#include <memory>

#include "cli/operator_action.h"

namespace ringway::cli {
namespace {

void AddOne(CLI::App& app, Session& session, bool drain) {
  CLI::App* command = drain ? app.add_subcommand("drain", "move a region's traffic away, at the guard's pace")
                            : app.add_subcommand("undrain", "give a drained region its traffic back");
  const auto request = std::make_shared<v1::DrainRegionRequest>();
  request->set_drain(drain);
  command
      ->add_option_function<std::string>(
          "REGION", [request](const std::string& region) { request->set_region(region); }, "region")
      ->required();
  if (drain) {
    command
        ->add_option_function<double>(
            "--share", [request](double share) { request->set_share(share); },
            "of the region's capacity, for example 0.5 [all of it]")
        ->check(CLI::Range(0.001, 1.0));
    command->add_flag_callback(
        "--force", [request] { request->set_force(true); },
        "also when the rest of the fleet has no room for the traffic");
  }
  AddTermOption(*command, request);
  AddActionOptions(*command, request);
  command->callback([&session, request] {
    session.run = [&session, request] { return RunAction(session, &v1::Admin::Stub::Drain, *request); };
  });
}

}  // namespace

void AddDrainCommands(CLI::App& app, Session& session) {
  AddOne(app, session, true);
  AddOne(app, session, false);
}

}  // namespace ringway::cli
