// ringway threshold LOAD, mode active|observe|frozen, rollback EPOCH.VERSION|--at WHEN, canary promote|abort
#include <memory>

#include "cli/choice.h"
#include "cli/operator_action.h"
#include "cli/order_dry_run.h"
#include "cli/table_name.h"

namespace ringway::cli {
namespace {

void AddThreshold(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("threshold", "set the load above which a tier's regions are hot");
  const auto request = std::make_shared<v1::SetThresholdRequest>();
  CLI::Option* load =
      command
          ->add_option_function<double>(
              "LOAD", [request](const double& load) { request->set_overload_threshold(load); },
              "above 0, at most 1")
          ->check(CLI::Range(0.001, 1.0));
  CLI::Option* clear = command->add_flag_callback(
      "--clear", [request] { request->set_clear(true); }, "back to what the topology says");
  clear->excludes(load);
  command->add_option_function<std::string>(
      "--region", [request](const std::string& region) { request->set_region(region); },
      "only of this region, in place of the tier's");
  AddTermOption(*command, request);
  AddActionOptions(*command, request);
  const auto dry = AddDryRunOption(*command);
  command->callback([&session, request, load, clear, dry] {
    if (load->empty() && clear->empty()) throw CLI::RequiredError("LOAD or --clear");
    session.run = [&session, request, dry] {
      return RunOrder(session, &v1::Admin::Stub::SetThreshold, *request, *dry);
    };
  });
}

void AddMode(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("mode", "active: plan and push; observe: plan only; frozen: keep the table");
  const auto request = std::make_shared<v1::SetModeRequest>();
  command
      ->add_option_function<std::string>(
          "MODE", [request](const std::string& mode) { request->set_mode(mode); },
          "active, observe or frozen")
      ->required()
      ->type_name("active|observe|frozen")
      ->check(OneOf({"active", "observe", "frozen"}));
  AddTermOption(*command, request);
  AddActionOptions(*command, request);
  const auto dry = AddDryRunOption(*command);
  command->callback([&session, request, dry] {
    session.run = [&session, request, dry] {
      return RunOrder(session, &v1::Admin::Stub::SetMode, *request, *dry);
    };
  });
}

void AddRollback(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("rollback", "return to an earlier table and freeze the tier on it");
  const auto request = std::make_shared<v1::RollbackRequest>();
  const auto name = std::make_shared<v1::TableName>();
  const auto into = TableNameInto([name]() -> v1::TableName& { return *name; });
  CLI::Option* table = command->add_option("TABLE", "EPOCH.VERSION, for example 3.41")->check(into);
  CLI::Option* at =
      command->add_option("--at", "the one that was in force then: 2026-11-23 12:00 (UTC), or 26h ago")
          ->check(into);
  at->excludes(table);
  AddTermOption(*command, request);
  AddActionOptions(*command, request);
  const auto dry = AddDryRunOption(*command);
  command->callback([&session, request, name, table, at, dry] {
    if (table->empty() && at->empty()) throw CLI::RequiredError("TABLE or --at");
    request->set_epoch(name->epoch());
    request->set_version(name->version());
    request->set_at_unix_us(name->at_unix_us());
    session.run = [&session, request, dry] {
      return RunOrder(session, &v1::Admin::Stub::Rollback, *request, *dry);
    };
  });
}

void AddCanary(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("canary", "end the canary of a configuration before its time");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, bool promote) {
    CLI::App* verb = command->add_subcommand(name, help);
    const auto request = std::make_shared<v1::CanaryRequest>();
    request->set_promote(promote);
    AddWhyOption(*verb, request);
    verb->callback([&session, request] {
      session.run = [&session, request] { return RunAction(session, &v1::Admin::Stub::Canary, *request); };
    });
  };
  add("promote", "all routers get the new settings", true);
  add("abort", "all routers get the old settings back", false);
}

}  // namespace

void AddTierCommands(CLI::App& app, Session& session) {
  AddThreshold(app, session);
  AddMode(app, session);
  AddRollback(app, session);
  AddCanary(app, session);
}

}  // namespace ringway::cli
