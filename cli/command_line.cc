#include "cli/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "cli/commands.h"
#include "cli/words/examples.h"
#include "core/utf8.h"
#include "topology/spelling.h"

namespace ringway::cli {
namespace {

constexpr char kFooter[] =
    "Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 nobody answers, 4 refused.\n"
    "docs/cli.md tells more.";

bool IsScreen(bool is_terminal) {
  const char* terminal = std::getenv("TERM");
  return is_terminal && terminal != nullptr && std::string_view(terminal) != "dumb";
}

bool WantsColour(bool out_is_terminal) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return IsScreen(out_is_terminal);
}

void AddGlobalOptions(flags::Command app, Session& session) {
  app.AddFlag("--json", session.json, "print JSON, for programs");
  app.Add("--controller", session.controller, "host:port of the controller's admin service")
      .Environment("RINGWAY_CONTROLLER")
      .ShowDefault();
  app.Add("--router", session.router,
          "host:port of a router, for submit and animate; for workers, jobs, cancel and drains of "
          "workers the only one that is asked")
      .Environment("RINGWAY_ROUTER")
      .ShowDefault();
  app.Add("--token-file", session.token_file, "file with the admin token (else $RINGWAY_TOKEN)");
  app.Add(
      "--fleet-token-file", session.fleet_token_file,
      "file with the fleet's token, for what asks routers: explain, top, workers, jobs, cancel, drains of "
      "workers (else $RINGWAY_FLEET_TOKEN)");
  app.Add("--context", session.context, "a fleet of the contexts file; `ringway context list`")
      .Environment("RINGWAY_CONTEXT");
}

void AppendLongNames(const flags::Command& app, std::vector<std::string>& names) {
  for (const flags::Option& option : app.options()) {
    for (const std::string& name : option.names()) {
      if (name.starts_with("--")) names.push_back(name);
    }
  }
}

// The chosen subcommand, as deep as the words go.
flags::Command Innermost(const flags::Command& app) {
  const std::vector<flags::Command> chosen = app.chosen();
  return chosen.empty() ? app : Innermost(chosen.front());
}

// What could have been meant by the first word that nothing took.
std::string Suggestion(const flags::Root& app) {
  const std::vector<std::string> extras = app.Rest();
  if (extras.empty()) return "";
  const flags::Command innermost = Innermost(app);
  std::vector<std::string> known;
  AppendLongNames(innermost, known);
  AppendLongNames(app, known);
  for (const flags::Command& sub : innermost.subcommands()) known.push_back(sub.name());
  const std::string word = extras.front().substr(0, extras.front().find('='));
  return DidYouMean(word, {known.begin(), known.end()});
}

int Explain(const flags::Root& app, const flags::Ending& ending, std::ostream& out, std::ostream& err) {
  const std::vector<std::string> extras = app.Rest();
  if (ending.code == 0 && extras.empty()) {  // --help, --version; help for a word that is none is not
    out << ending.text;
    return kExitOk;
  }
  // Words that nothing took tell more than the complaint that no subcommand was given.
  err << "ringway: " << (extras.empty() ? ending.text : "unknown word \"" + extras.front() + "\"") << "\n";
  const std::string suggestion = Suggestion(app);
  if (!suggestion.empty()) err << "ringway: " << suggestion << "\n";
  const flags::Command innermost = Innermost(app);
  err << "ringway: `ringway " << (innermost == app ? "" : innermost.name() + " ")
      << "--help` lists what there is\n";
  return kExitUsage;
}

// `help topology check` is `topology check --help`, `version` is `--version`; everything else is as it was
// said.
std::vector<std::string> Spoken(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return words;
  if (words.front() == "version" && words.size() == 1) words.front() = "--version";
  if (words.front() == "help") {
    words.erase(words.begin());
    if (words != std::vector<std::string>{"--help"}) words.push_back("--help");
  }
  return words;
}

// Any of them may go into a message, which takes no other bytes.
bool AreText(const std::vector<std::string>& words, std::ostream& err) {
  for (const std::string& word : words) {
    if (IsUtf8(word)) continue;
    err << "ringway: found \"" << absl::CHexEscape(word) << "\"; allowed: words in UTF-8\n";
    return false;
  }
  return true;
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv, std::ostream& out, std::ostream& err,
                   bool out_is_terminal, bool err_is_terminal) {
  Session session{.out = out, .err = err};
  flags::Root app("Ringway: traffic management for fleets of GPU workers.", "ringway");
  app.Footer(kFooter);
  app.RequireSubcommand();
  app.OptionsAnywhere();  // global options may stand after the subcommand
  app.AddVersion(RINGWAY_VERSION);
  AddGlobalOptions(app, session);
  AddWorldCommands(app, session);
  AddLoadCommand(app, session);
  AddDemoCommand(app, session);
  AddAnimateCommand(app, session);
  AddGenerateCommand(app, session);
  AddEngineCommand(app, session);
  AddSubmitCommand(app, session);
  AddSimCommand(app, session);
  AddStatusCommand(app, session);
  AddTopCommand(app, session);
  AddTableCommand(app, session);
  AddExplainCommand(app, session);
  AddWhatIfCommand(app, session);
  AddDrainCommands(app, session);
  AddWorkersCommand(app, session);
  AddJobsCommands(app, session);
  AddPinCommands(app, session);
  AddTierCommands(app, session);
  AddHistoryCommands(app, session);
  AddAuditCommand(app, session);
  AddNamesCommand(app, session);
  AddContextCommand(app, session);
  AddPlanCommand(app, session);
  AddTopologyCommand(app, session);
  AddWordsCommands(app, session);
  words::AddExamples(app);
  std::vector<std::string> words = Spoken(argc, argv);
  if (words.empty()) {  // nothing was asked: the list of what there is to ask says more than a complaint
    err << app.Help();
    return kExitUsage;
  }
  if (!AreText(words, err)) return kExitUsage;
  if (const auto ending = app.Parse(words)) return Explain(app, *ending, out, err);
  session.controller_given = app.Given("--controller");
  session.router_given = app.Given("--router");
  session.colour = !session.json && WantsColour(out_is_terminal);
  session.terminal = !session.json && IsScreen(out_is_terminal);
  session.err_terminal = IsScreen(err_is_terminal);
  return session.run();
}

}  // namespace ringway::cli
