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

int Completion(Session& session, const flags::Command& root, const std::string& shell) {
  const words::CommandWords tree = words::WordsOf(root);
  if (shell == "bash") session.out << words::BashCompletion(tree);
  if (shell == "zsh") session.out << words::ZshCompletion(tree);
  if (shell == "fish") session.out << words::FishCompletion(tree);
  return kExitOk;
}

int Man(Session& session, const flags::Command& root, const std::string& folder) {
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

void AddWordsCommands(flags::Command app, Session& session) {
  // Both are other ways to write --help and --version (Spoken, in command_line.cc): here they get their place
  // in the list of subcommands, in completions and in the manual.
  flags::Command help = app.Subcommand("help", "what there is, or how one subcommand is used");
  const auto verb = std::make_shared<std::vector<std::string>>();
  help.Add("SUBCOMMAND", *verb, "for example: topology check");
  app.Subcommand("version", "the version of this program");
  flags::Command completion = app.Subcommand("completion", "a completion script for your shell");
  const auto shell = std::make_shared<std::string>();
  completion.Add("SHELL", *shell, "bash, zsh or fish")
      .Required()
      .TypeName("bash|zsh|fish")
      .Check(OneOf({"bash", "zsh", "fish"}));
  completion.OnChosen([app, &session, shell] {
    session.run = [app, &session, shell] { return Completion(session, app, *shell); };
  });
  flags::Command man = app.Subcommand("man", "the manual page, or all of them into a folder");
  const auto folder = std::make_shared<std::string>();
  man.Add("FOLDER", *folder, "for ringway.1 and one page for each subcommand");
  man.OnChosen([app, &session, folder] {
    session.run = [app, &session, folder] { return Man(session, app, *folder); };
  });
}

}  // namespace ringway::cli
