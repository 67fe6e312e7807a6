// ringway pin REGION [--to REGION=SHARE ...], ringway unpin REGION
#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "cli/operator_action.h"
#include "cli/order_dry_run.h"
#include "cli/order_names.h"

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

void AddShares(flags::Command command, const std::shared_ptr<v1::PinRequest>& request,
               const std::shared_ptr<std::string>& priority) {
  command.Add("--to", "REGION=SHARE: to these shares instead of those of now; may be repeated, sums to 1")
      .Values(1, 1000)
      .OneEach()
      .Check([request](std::string& text) { return ReadShare(text, *request); });
  command
      .AddNumber(
          "--refuse", [request](double share) { request->mutable_row()->set_shed_fraction(share); },
          "share that is shed: refused at once")
      .In(0.0, 1.0);
  command.Add("--priority", *priority,
              "of which requests, with --to or --refuse: its name, or its number from 0, the most important");
}

// A number goes as it is; what a name stands for only the controller knows.
absl::Status CompletePriority(Session& session, const std::string& priority, v1::PinRequest& request) {
  std::uint32_t number = 0;
  if (!priority.empty() && !absl::SimpleAtoi(priority, &number)) {
    absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
    if (!admin.ok()) return admin.status();
    const auto fleet = admin->Call(&v1::Admin::Stub::Status, v1::StatusRequest());
    if (!fleet.ok()) return fleet.status();
    const absl::StatusOr<std::uint32_t> named = PriorityOf(*fleet, request.tier(), priority);
    if (!named.ok()) return named.status();
    number = *named;
  }
  if (number > 0) request.mutable_row()->set_priority(number);
  return absl::OkStatus();
}

int Pin(Session& session, const std::string& priority, v1::PinRequest& request, const DryRunChoice& dry) {
  if (absl::Status complete = CompletePriority(session, priority, request); !complete.ok())
    return Fail(session, complete);
  return RunOrder(session, &v1::Admin::Stub::Pin, request, dry);
}

void AddOne(flags::Command app, Session& session, bool pin) {
  flags::Command command = pin ? app.Subcommand("pin", "fix a region's row of the table as it is now")
                               : app.Subcommand("unpin", "let the planner decide about a region's row again");
  const auto request = std::make_shared<v1::PinRequest>();
  request->set_pin(pin);
  command
      .AddText(
          "REGION", [request](const std::string& region) { request->set_region(region); }, "source region")
      .Required();
  const auto priority = std::make_shared<std::string>();
  if (pin) AddShares(command, request, priority);
  AddTermOption(command, request);
  AddActionOptions(command, request);
  const auto dry = AddDryRunOption(command);
  command.OnChosen([&session, request, priority, dry] {
    if (!priority->empty() && !request->has_row()) flags::Missing("with --priority, --to or --refuse");
    session.run = [&session, request, priority, dry] { return Pin(session, *priority, *request, *dry); };
  });
}

}  // namespace

void AddPinCommands(flags::Command app, Session& session) {
  AddOne(app, session, true);
  AddOne(app, session, false);
}

}  // namespace ringway::cli
