// ringway completion SHELL, and ringway man [FOLDER]: what is made from the tree of subcommands itself.
#include <filesystem>
#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/words/completion.h"
#include "cli/words/man_page.h"

namespace ringway::cli {
namespace {

int Completion(Session& session, const CLI::App& root, const std::string& shell) {
  const words::CommandWords tree = words::WordsOf(root);
  if (shell == "bash") session.out << words::BashCompletion(tree);
  if (shell == "zsh") session.out << words::ZshCompletion(tree);
  if (shell == "fish") session.out << words::FishCompletion(tree);
  return kExitOk;
}

int Man(Session& session, const CLI::App& root, const std::string& folder) {
  const auto pages = words::ManPages(words::WordsOf(root), RINGWAY_VERSION);
  if (folder.empty()) {
    session.out << pages.at("ringway.1");
    return kExitOk;
  }
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  for (const auto& [name, text] : pages) {
    const std::string path = absl::StrCat(folder, "/", name);
    if (!(std::ofstream(path) << text << std::flush)) {
      return Fail(session, absl::InternalError(absl::StrCat(path, ": cannot be written")));
    }
  }
  session.out << pages.size() << " pages in " << folder << "\n";
  return kExitOk;
}

}  // namespace

void AddWordsCommands(CLI::App& app, Session& session) {
  // Both are other ways to write --help and --version (Spoken, in command_line.cc): here they get their place
  // in the list of subcommands, in completions and in the manual.
  CLI::App* help = app.add_subcommand("help", "what there is, or how one subcommand is used");
  const auto verb = std::make_shared<std::vector<std::string>>();
  help->add_option("SUBCOMMAND", *verb, "for example: topology check");
  app.add_subcommand("version", "the version of this program");
  CLI::App* completion = app.add_subcommand("completion", "a completion script for your shell");
  const auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("bash|zsh|fish")
      ->check(OneOf({"bash", "zsh", "fish"}));
  completion->callback([&app, &session, shell] {
    session.run = [&app, &session, shell] { return Completion(session, app, *shell); };
  });
  CLI::App* man = app.add_subcommand("man", "the manual page, or all of them into a folder");
  const auto folder = std::make_shared<std::string>();
  man->add_option("FOLDER", *folder, "for ringway.1 and one page for each subcommand");
  man->callback([&app, &session, folder] {
    session.run = [&app, &session, folder] { return Man(session, app, *folder); };
  });
}

}  // namespace ringway::cli
