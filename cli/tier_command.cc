// ringway threshold LOAD, mode active|observe|frozen, rollback EPOCH.VERSION|--at WHEN, canary promote|abort
#include <memory>

#include "cli/choice.h"
#include "cli/operator_action.h"
#include "cli/order_dry_run.h"
#include "cli/table_name.h"

namespace ringway::cli {
namespace {

void AddThreshold(flags::Command app, Session& session) {
  flags::Command command = app.Subcommand("threshold", "set the load above which a tier's regions are hot");
  const auto request = std::make_shared<v1::SetThresholdRequest>();
  flags::Option load =
      command
          .AddNumber(
              "LOAD", [request](const double& load) { request->set_overload_threshold(load); },
              "above 0, at most 1")
          .In(0.001, 1.0);
  flags::Option clear = command.AddFlag(
      "--clear", [request] { request->set_clear(true); }, "back to what the topology says");
  clear.Excludes(load);
  command.AddText(
      "--region", [request](const std::string& region) { request->set_region(region); },
      "only of this region, in place of the tier's");
  AddTermOption(command, request);
  AddActionOptions(command, request);
  const auto dry = AddDryRunOption(command);
  command.OnChosen([&session, request, load, clear, dry] {
    if (!load.given() && !clear.given()) flags::Missing("LOAD or --clear");
    session.run = [&session, request, dry] {
      return RunOrder(session, &v1::Admin::Stub::SetThreshold, *request, *dry);
    };
  });
}

void AddMode(flags::Command app, Session& session) {
  flags::Command command =
      app.Subcommand("mode", "active: plan and push; observe: plan only; frozen: keep the table");
  const auto request = std::make_shared<v1::SetModeRequest>();
  command
      .AddText(
          "MODE", [request](const std::string& mode) { request->set_mode(mode); },
          "active, observe or frozen")
      .Required()
      .TypeName("active|observe|frozen")
      .Check(OneOf({"active", "observe", "frozen"}));
  AddTermOption(command, request);
  AddActionOptions(command, request);
  const auto dry = AddDryRunOption(command);
  command.OnChosen([&session, request, dry] {
    session.run = [&session, request, dry] {
      return RunOrder(session, &v1::Admin::Stub::SetMode, *request, *dry);
    };
  });
}

void AddRollback(flags::Command app, Session& session) {
  flags::Command command = app.Subcommand("rollback", "return to an earlier table and freeze the tier on it");
  const auto request = std::make_shared<v1::RollbackRequest>();
  const auto name = std::make_shared<v1::TableName>();
  const auto into = TableNameInto([name]() -> v1::TableName& { return *name; });
  flags::Option table = command.Add("TABLE", "EPOCH.VERSION, for example 3.41").Check(into);
  flags::Option at =
      command.Add("--at", "the one that was in force then: 2026-11-23 12:00 (UTC), or 26h ago").Check(into);
  at.Excludes(table);
  AddTermOption(command, request);
  AddActionOptions(command, request);
  const auto dry = AddDryRunOption(command);
  command.OnChosen([&session, request, name, table, at, dry] {
    if (!table.given() && !at.given()) flags::Missing("TABLE or --at");
    request->set_epoch(name->epoch());
    request->set_version(name->version());
    request->set_at_unix_us(name->at_unix_us());
    session.run = [&session, request, dry] {
      return RunOrder(session, &v1::Admin::Stub::Rollback, *request, *dry);
    };
  });
}

void AddCanary(flags::Command app, Session& session) {
  flags::Command command = app.Subcommand("canary", "end the canary of a configuration before its time");
  command.RequireSubcommand();
  const auto add = [&](const char* name, const char* help, bool promote) {
    flags::Command verb = command.Subcommand(name, help);
    const auto request = std::make_shared<v1::CanaryRequest>();
    request->set_promote(promote);
    AddWhyOption(verb, request);
    verb.OnChosen([&session, request] {
      session.run = [&session, request] { return RunAction(session, &v1::Admin::Stub::Canary, *request); };
    });
  };
  add("promote", "all routers get the new settings", true);
  add("abort", "all routers get the old settings back", false);
}

}  // namespace

void AddTierCommands(flags::Command app, Session& session) {
  AddThreshold(app, session);
  AddMode(app, session);
  AddRollback(app, session);
  AddCanary(app, session);
}

}  // namespace ringway::cli
