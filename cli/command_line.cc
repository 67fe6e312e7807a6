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

void AddGlobalOptions(CLI::App& app, Session& session) {
  app.add_flag("--json", session.json, "print JSON, for programs");
  app.add_option("--controller", session.controller, "host:port of the controller's admin service")
      ->envname("RINGWAY_CONTROLLER")
      ->capture_default_str();
  app.add_option("--router", session.router,
                 "host:port of a router, for submit and animate; for workers, jobs, cancel and drains of "
                 "workers the only one that is asked")
      ->envname("RINGWAY_ROUTER")
      ->capture_default_str();
  app.add_option("--token-file", session.token_file, "file with the admin token (else $RINGWAY_TOKEN)");
  app.add_option(
      "--fleet-token-file", session.fleet_token_file,
      "file with the fleet's token, for what asks routers: explain, top, workers, jobs, cancel, drains of "
      "workers (else $RINGWAY_FLEET_TOKEN)");
  app.add_option("--context", session.context, "a fleet of the contexts file; `ringway context list`")
      ->envname("RINGWAY_CONTEXT");
}

std::vector<std::string> NamesOfOptions(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The chosen subcommand, as deep as the words go.
const CLI::App* Innermost(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? &app : Innermost(*chosen.front());
}

// What could have been meant by the first word that nothing took.
std::string Suggestion(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true);
  if (extras.empty()) return "";
  const CLI::App* innermost = Innermost(app);
  std::vector<std::string> known = NamesOfOptions(*innermost);
  for (const std::string& name : NamesOfOptions(app)) known.push_back(name);
  for (const CLI::App* sub : innermost->get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(sub->get_name());
  }
  const std::string word = extras.front().substr(0, extras.front().find('='));
  return DidYouMean(word, {known.begin(), known.end()});
}

int Explain(const CLI::App& app, const CLI::ParseError& error, std::ostream& out, std::ostream& err) {
  const std::vector<std::string> extras = app.remaining(true);
  if (error.get_exit_code() == 0 &&
      extras.empty()) {  // --help, --version; help for a word that is none is not
    app.exit(error, out, err);
    return kExitOk;
  }
  // Words that nothing took tell more than the complaint that no subcommand was given.
  err << "ringway: " << (extras.empty() ? error.what() : "unknown word \"" + extras.front() + "\"") << "\n";
  const std::string suggestion = Suggestion(app);
  if (!suggestion.empty()) err << "ringway: " << suggestion << "\n";
  const CLI::App* innermost = Innermost(app);
  const bool top = innermost == &app;
  err << "ringway: `ringway " << (top ? "" : innermost->get_name() + " ") << "--help` lists what there is\n";
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
  CLI::App app("Ringway: traffic management for fleets of GPU workers.", "ringway");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();  // global options may stand after the subcommand
  app.set_version_flag("--version", RINGWAY_VERSION);
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
    err << app.help();
    return kExitUsage;
  }
  if (!AreText(words, err)) return kExitUsage;
  std::reverse(words.begin(), words.end());  // as the parser wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return Explain(app, error, out, err);
  }
  session.controller_given = app.count("--controller") > 0;
  session.router_given = app.count("--router") > 0;
  session.colour = !session.json && WantsColour(out_is_terminal);
  session.terminal = !session.json && IsScreen(out_is_terminal);
  session.err_terminal = IsScreen(err_is_terminal);
  return session.run();
}

}  // namespace ringway::cli
