// ringway threshold LOAD, ringway mode active|observe|frozen, ringway rollback EPOCH.VERSION
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "cli/choice.h"
#include "cli/operator_action.h"

namespace ringway::cli {
namespace {

void AddThreshold(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("threshold", "set the load above which a tier's regions are hot");
  const auto request = std::make_shared<v1::SetThresholdRequest>();
  command
      ->add_option_function<double>(
          "LOAD", [request](const double& load) { request->set_overload_threshold(load); },
          "above 0, at most 1")
      ->required()
      ->check(CLI::Range(0.001, 1.0));
  AddActionOptions(*command, request);
  command->callback([&session, request] {
    session.run = [&session, request] {
      return RunAction(session, &v1::Admin::Stub::SetThreshold, *request);
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
  AddActionOptions(*command, request);
  command->callback([&session, request] {
    session.run = [&session, request] { return RunAction(session, &v1::Admin::Stub::SetMode, *request); };
  });
}

// "3.41", as status and table print it.
std::string ReadVersion(const std::string& text, v1::RollbackRequest& request) {
  const std::vector<std::string> parts = absl::StrSplit(text, '.');
  std::uint64_t epoch = 0, version = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &epoch) || !absl::SimpleAtoi(parts[1], &version)) {
    return "found \"" + text + "\"; allowed: EPOCH.VERSION as `ringway status` prints it, for example 3.41";
  }
  request.set_epoch(epoch);
  request.set_version(version);
  return "";
}

void AddRollback(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("rollback", "return to an earlier table and freeze the tier on it");
  const auto request = std::make_shared<v1::RollbackRequest>();
  command->add_option("TABLE", "EPOCH.VERSION, for example 3.41")
      ->required()
      ->check(CLI::Validator([request](std::string& text) { return ReadVersion(text, *request); }, ""));
  AddActionOptions(*command, request);
  command->callback([&session, request] {
    session.run = [&session, request] { return RunAction(session, &v1::Admin::Stub::Rollback, *request); };
  });
}

}  // namespace

void AddTierCommands(CLI::App& app, Session& session) {
  AddThreshold(app, session);
  AddMode(app, session);
  AddRollback(app, session);
}

}  // namespace ringway::cli
