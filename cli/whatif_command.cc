// ringway whatif [--threshold X] [--drain REGION] [--scale REGION=FACTOR] [--watch [SECONDS]]
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/dry_run_view.h"
#include "cli/watch.h"

namespace ringway::cli {
namespace {

absl::StatusOr<v1::DryRunReply> AskWhatIf(AdminClient& admin, const v1::DryRunRequest& request) {
  absl::StatusOr<v1::DryRunReply> reply = admin.Call(&v1::Admin::Stub::DryRun, request);
  if (reply.ok()) return reply;
  std::vector<std::string> names(request.drain().begin(), request.drain().end());
  for (const auto& [region, share] : request.drain_share()) names.push_back(region);
  for (const auto& [region, factor] : request.demand_scale()) names.push_back(region);
  names.push_back(request.tier());
  return admin.WithSuggestion(reply.status(), names);
}

absl::StatusOr<std::string> LookAtWhatIf(AdminClient& admin, const Session& session,
                                         const v1::DryRunRequest& request, bool all,
                                         const WatchChoice& watch) {
  const absl::StatusOr<v1::DryRunReply> reply = AskWhatIf(admin, request);
  if (!reply.ok()) return reply.status();
  if (session.json) return LookJson(*reply, watch);
  return DryRunText(*reply, AskInForce(admin, request.tier()), all, session.colour);
}

// "REGION", or "REGION=SHARE" of its capacity; what is no share is refused by the controller with the name.
void AddDrain(const std::string& text, v1::DryRunRequest& request) {
  const std::size_t equals = text.rfind('=');
  double share = 0;
  if (equals != std::string::npos && absl::SimpleAtod(text.substr(equals + 1), &share)) {
    (*request.mutable_drain_share())[text.substr(0, equals)] = share;
  } else {
    request.add_drain(text);
  }
}

std::string ReadScale(const std::string& text, v1::DryRunRequest& request) {
  const std::size_t equals = text.find('=');
  double factor = 0;
  const bool readable = equals != std::string::npos && absl::SimpleAtod(text.substr(equals + 1), &factor);
  if (!readable || !(factor >= 0 && factor <= 1e6)) {
    return absl::StrCat("found \"", text, "\"; allowed: REGION=FACTOR with a factor from 0 to 1000000");
  }
  (*request.mutable_demand_scale())[text.substr(0, equals)] = factor;
  return "";
}

}  // namespace

void AddWhatIfCommand(flags::Command app, Session& session) {
  flags::Command command =
      app.Subcommand("whatif", "what the controller would plan now with other settings; changes nothing");
  const auto request = std::make_shared<v1::DryRunRequest>();
  const auto all = std::make_shared<bool>(false);
  command.AddFlag("--all", *all, "also rows for which nobody asks now");
  command.AddText(
      "--tier", [request](const std::string& tier) { request->set_tier(tier); },
      "needed if there are several");
  command
      .AddNumber(
          "--threshold", [request](const double& load) { request->set_overload_threshold(load); },
          "with this overload threshold")
      .In(0.001, 1.0);
  command
      .AddTexts(
          "--drain",
          [request](const std::vector<std::string>& regions) {
            for (const std::string& region : regions) AddDrain(region, *request);
          },
          "REGION or REGION=SHARE: with this region drained; may be repeated")
      .OneEach();
  command.Add("--scale", "REGION=FACTOR: with this much more demand; may be repeated")
      .Values(1, 1000)
      .OneEach()
      .Check([request](std::string& text) { return ReadScale(text, *request); });
  const auto watch = AddWatchOption(command);
  command.OnChosen([&session, request, all, watch] {
    session.run = [&session, request, all, watch] {
      return WatchController(session, *watch, [&](AdminClient& admin) {
        return LookAtWhatIf(admin, session, *request, *all, *watch);
      });
    };
  });
}

}  // namespace ringway::cli
