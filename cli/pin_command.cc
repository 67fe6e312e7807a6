// ringway pin REGION, ringway unpin REGION
#include <memory>

#include "cli/operator_action.h"

namespace ringway::cli {
namespace {

void AddOne(CLI::App& app, Session& session, bool pin) {
  CLI::App* command = pin ? app.add_subcommand("pin", "fix a region's row of the table as it is now")
                          : app.add_subcommand("unpin", "let the planner decide about a region's row again");
  const auto request = std::make_shared<v1::PinRequest>();
  request->set_pin(pin);
  command
      ->add_option_function<std::string>(
          "REGION", [request](const std::string& region) { request->set_region(region); }, "source region")
      ->required();
  AddActionOptions(*command, request);
  command->callback([&session, request] {
    session.run = [&session, request] { return RunAction(session, &v1::Admin::Stub::Pin, *request); };
  });
}

}  // namespace

void AddPinCommands(CLI::App& app, Session& session) {
  AddOne(app, session, true);
  AddOne(app, session, false);
}

}  // namespace ringway::cli
