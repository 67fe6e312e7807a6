// ringway pin REGION [--to REGION=SHARE ...], ringway unpin REGION
#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "cli/operator_action.h"

namespace ringway::cli {
namespace {

// "REGION=SHARE" into the row.
std::string ReadShare(const std::string& text, v1::PinRequest& request) {
  const std::size_t equals = text.rfind('=');
  double share = 0;
  const bool readable = equals != std::string::npos && absl::SimpleAtod(text.substr(equals + 1), &share);
  if (!readable || !(share > 0 && share <= 1)) {
    return "found \"" + text + "\"; allowed: REGION=SHARE with a share above 0 and up to 1";
  }
  v1::Route* route = request.mutable_row()->add_routes();
  route->set_target(static_cast<std::uint32_t>(request.regions_size()));
  route->set_fraction(share);
  request.add_regions(text.substr(0, equals));
  return "";
}

void AddShares(CLI::App& command, const std::shared_ptr<v1::PinRequest>& request) {
  command
      .add_option("--to", "REGION=SHARE: to these shares instead of those of now; may be repeated, sums to 1")
      ->expected(1, 1000)
      ->allow_extra_args(false)
      ->check(CLI::Validator([request](std::string& text) { return ReadShare(text, *request); }, ""));
  command
      .add_option_function<double>(
          "--refuse", [request](double share) { request->mutable_row()->set_shed_fraction(share); },
          "share that is refused at once")
      ->check(CLI::Range(0.0, 1.0));
  command
      .add_option_function<std::uint32_t>(
          "--priority", [request](std::uint32_t priority) { request->mutable_row()->set_priority(priority); },
          "of which requests, with --to: 0 is the most important [0]")
      ->check(CLI::Range(0, 3));
}

void AddOne(CLI::App& app, Session& session, bool pin) {
  CLI::App* command = pin ? app.add_subcommand("pin", "fix a region's row of the table as it is now")
                          : app.add_subcommand("unpin", "let the planner decide about a region's row again");
  const auto request = std::make_shared<v1::PinRequest>();
  request->set_pin(pin);
  command
      ->add_option_function<std::string>(
          "REGION", [request](const std::string& region) { request->set_region(region); }, "source region")
      ->required();
  if (pin) AddShares(*command, request);
  AddTermOption(*command, request);
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
