// Completions and manual pages: whole, and accepted by the programs that read them.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"

namespace ringway::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

bool Installed(const std::string& program) {
  return std::system(absl::StrCat("command -v ", program, " >/dev/null").c_str()) == 0;
}

std::string Write(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "ringway-" + name;
  std::ofstream(path) << text;
  return path;
}

// What bash offers behind the words.
std::vector<std::string> Offers(const std::string& words) {
  static const std::string script = Write("completion.bash", Ringway({"completion", "bash"}).out);
  const std::string out = ::testing::TempDir() + "ringway-offers";
  const std::string command =
      absl::StrCat("bash -uc 'source ", script, "; COMP_WORDS=(", words,
                   "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ringway; echo \"${COMPREPLY[*]-}\"' > ", out);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream file(out);
  std::string line;
  std::getline(file, line);
  return absl::StrSplit(line, ' ', absl::SkipEmpty());
}

TEST(WordsTest, BashOffersWhatTheParserTakes) {
  EXPECT_EQ(Offers("ringway sta"), std::vector<std::string>{"status"});
  EXPECT_EQ(Offers("ringway topology check --js"), std::vector<std::string>{"--json"});
  EXPECT_EQ(Offers("ringway --json und"), std::vector<std::string>{"undrain"});
  EXPECT_THAT(Offers("ringway topology \"\""), IsSupersetOf({"check", "show", "--json"}));
  EXPECT_THAT(Offers("ringway drain --"), IsSupersetOf({"--why", "--tier", "--controller"}));
  EXPECT_TRUE(Offers("ringway nonsense statu").size() <= 1u);
}

// What cannot be asked is left out; the words of an option are known without asking.
TEST(WordsTest, BashOffersTheWordsOfAnOptionAndTheNamesOfTheFleet) {
  EXPECT_THAT(Offers("ringway mode \"\""), IsSupersetOf({"active", "observe", "frozen", "--why"}));
  EXPECT_EQ(Offers("ringway load --arrivals ga"), std::vector<std::string>{"gamma"});
  EXPECT_THAT(Ringway({"completion", "bash"}).out, HasSubstr("ringway names regions"));
  const std::string folder = ::testing::TempDir() + "ringway-names";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/ringway")
      << "#!/bin/sh\n[ \"$*\" = 'names regions' ] && echo us-east-1 eu-west-1\n";
  std::filesystem::permissions(folder + "/ringway", std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder + ":" + path).c_str(), 1);
  EXPECT_EQ(Offers("ringway drain eu"), std::vector<std::string>{"eu-west-1"});
  EXPECT_EQ(Offers("ringway whatif --drain us"), std::vector<std::string>{"us-east-1"});
  ::setenv("PATH", path.c_str(), 1);
  std::filesystem::remove_all(folder);
}

TEST(WordsTest, EverySubcommandHasExamplesInItsHelp) {
  const std::string folder = ::testing::TempDir() + "ringway-man-examples";
  ASSERT_EQ(Ringway({"man", folder}).code, 0);
  int leaves = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string words = entry.path().stem().string();
    if (words == "ringway" || words == "ringway-help" || words == "ringway-topology" ||
        words == "ringway-sim" || words == "ringway-engine")
      continue;
    std::vector<std::string> line = absl::StrSplit(words.substr(std::string("ringway-").size()), '-');
    const std::string command = absl::StrCat("\n  ringway ", absl::StrJoin(line, " "));
    line.push_back("--help");
    EXPECT_THAT(Ringway(line).out, AllOf(HasSubstr("Examples:"), HasSubstr(command))) << words;
    ++leaves;
  }
  EXPECT_GE(leaves, 33);
  std::filesystem::remove_all(folder);
}

TEST(WordsTest, EverySubcommandOfTheHelpIsInEveryScript) {
  const std::string help = Ringway({"--help"}).out;
  const std::string zsh = Ringway({"completion", "zsh"}).out;
  const std::string fish = Ringway({"completion", "fish"}).out;
  std::size_t count = 0;
  const std::string list = help.substr(help.find("Subcommands:\n"));
  for (const absl::string_view line : absl::StrSplit(list, '\n')) {
    if (line.substr(0, 2) != "  " || line.substr(2, 1) == " ") continue;
    const std::string name(line.substr(2, line.find(' ', 2) - 2));
    EXPECT_THAT(zsh, HasSubstr(name));
    EXPECT_THAT(fish, HasSubstr(absl::StrCat(" -a ", name, " ")));
    ++count;
  }
  EXPECT_GE(count, 18u);
}

TEST(WordsTest, TheShellsAcceptTheirScripts) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    if (!Installed(shell)) {
      std::cout << "no " << shell << " here: its script is not read by it\n";
      continue;
    }
    const std::string path = Write(shell, Ringway({"completion", shell}).out);
    EXPECT_EQ(std::system(absl::StrCat(shell, " -n ", path).c_str()), 0) << shell;
  }
  EXPECT_EQ(Ringway({"completion", "tcsh"}).code, 2);
}

TEST(WordsTest, ThereIsAPageForEverySubcommandAndManReadsIt) {
  const std::string folder = ::testing::TempDir() + "ringway-man";
  EXPECT_THAT(Ringway({"man", folder}).out, HasSubstr("pages in"));
  std::size_t pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++pages;
    if (!Installed("man")) continue;
    const std::string command = absl::StrCat("test -z \"$(MANWIDTH=100 man --warnings -E UTF-8 -l ",
                                             entry.path().string(), " 2>&1 >/dev/null)\"");
    EXPECT_EQ(std::system(command.c_str()), 0) << entry.path();
  }
  EXPECT_GE(pages, 22u);
  EXPECT_THAT(Ringway({"man"}).out,
              AllOf(HasSubstr(".SH EXIT STATUS"), HasSubstr("\\-\\-json"),
                    HasSubstr("[environment: RINGWAY_CONTROLLER]"), Not(HasSubstr("\n\n"))));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ringway::cli
