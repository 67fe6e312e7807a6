// ringway whatif [--threshold X] [--drain REGION] [--scale REGION=FACTOR]
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/admin_client.h"
#include "cli/commands.h"
#include "cli/fleet_view.h"
#include "cli/row_changes.h"

namespace ringway::cli {
namespace {

TextTable ChangeTable(const v1::DryRunReply& reply) {
  const Align right = Align::kRight;
  TextTable table({{"REGION"},
                   {"DEMAND/S", right},
                   {"HOME LOAD", right},
                   {"PLANNED NOW", right},
                   {"PLANNED THEN", right}});
  for (int i = 0; i < std::min(reply.before_size(), reply.after_size()); ++i) {
    const v1::RegionStatus& before = reply.before(i);
    const v1::RegionStatus& after = reply.after(i);
    table.Add({after.region(), absl::StrFormat("%.1f", after.demand_rps()),
               absl::StrFormat("%.2f", after.home_load()), absl::StrFormat("%.2f", before.planned_load()),
               absl::StrFormat("%.2f", after.planned_load())});
  }
  return table;
}

int WhatIf(Session& session, const v1::DryRunRequest& request, bool all) {
  absl::StatusOr<AdminClient> admin = AdminClient::Connect(session);
  if (!admin.ok()) return Fail(session, admin.status());
  const absl::StatusOr<v1::DryRunReply> reply = admin->Call(&v1::Admin::Stub::DryRun, request);
  if (!reply.ok()) {
    std::vector<std::string> names(request.drain().begin(), request.drain().end());
    for (const auto& [region, share] : request.drain_share()) names.push_back(region);
    for (const auto& [region, factor] : request.demand_scale()) names.push_back(region);
    names.push_back(request.tier());
    return Fail(session, admin->WithSuggestion(reply.status(), names));
  }
  if (session.json) {
    session.out << MessageJson(*reply);
    return kExitOk;
  }
  session.out << ChangeTable(*reply).Render(session.colour) << "\n";
  for (const v1::Shortfall& here : reply->shortfall()) {
    session.out << absl::StrFormat("no room: %s %.2f/s above its overload threshold, %.2f/s shed\n",
                                   here.region(), here.over_rps(), here.refused_rps());
  }
  // What is in force is compared with; before the first table, everything stays home.
  v1::GetTableRequest of_tier;
  of_tier.set_tier(request.tier());
  const absl::StatusOr<v1::RoutingTable> now = admin->Call(&v1::Admin::Stub::GetTable, of_tier);
  const absl::StatusOr<v1::StatusReply> status = admin->Call(&v1::Admin::Stub::Status, v1::StatusRequest());
  const RowChanges changes = ChangesBetween(now.ok() ? *now : v1::RoutingTable(), *reply,
                                            status.ok() ? *status : v1::StatusReply(), all);
  if (!changes.table.empty()) session.out << changes.table.Render(session.colour);
  if (changes.table.empty()) session.out << "no traffic would go another way\n";
  if (changes.idle_rows > 0)
    session.out << changes.idle_rows
                << " more rows would change for which nobody asks now; --all shows them\n";
  return kExitOk;
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

void AddWhatIfCommand(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("whatif", "what the controller would plan now with other settings; changes nothing");
  const auto request = std::make_shared<v1::DryRunRequest>();
  const auto all = std::make_shared<bool>(false);
  command->add_flag("--all", *all, "also rows for which nobody asks now");
  command->add_option_function<std::string>(
      "--tier", [request](const std::string& tier) { request->set_tier(tier); },
      "needed if there are several");
  command
      ->add_option_function<double>(
          "--threshold", [request](const double& load) { request->set_overload_threshold(load); },
          "with this overload threshold")
      ->check(CLI::Range(0.001, 1.0));
  command
      ->add_option_function<std::vector<std::string>>(
          "--drain",
          [request](const std::vector<std::string>& regions) {
            for (const std::string& region : regions) AddDrain(region, *request);
          },
          "REGION or REGION=SHARE: with this region drained; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--scale", "REGION=FACTOR: with this much more demand; may be repeated")
      ->expected(1, 1000)
      ->allow_extra_args(false)
      ->check(CLI::Validator([request](std::string& text) { return ReadScale(text, *request); }, ""));
  command->callback([&session, request, all] {
    session.run = [&session, request, all] { return WhatIf(session, *request, *all); };
  });
}

}  // namespace ringway::cli
