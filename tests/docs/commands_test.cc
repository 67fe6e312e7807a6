// What README and docs/ tell people to type is typed here, as printed and in order, one shell a page.
//
// The shell stands in what a clone is after README's first command: the entries of the checkout, with
// build/bin, and nothing else. The quickstart brings up its own world and ends it; for the other pages a
// world is up, as the quickstart leaves one, and its addresses are in the environment; the programs are on
// the PATH, as an installation or the quickstart puts them there. Worlds take free ports, so that nobody who
// has one up on this machine is met. A page fails at the first command that does. What cannot be run says
// why, in the page's source, and is printed here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/deploy/shell.h"
#include "tests/docs/code_blocks.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::Not;

const fs::path kSource = RINGWAY_SOURCE_DIR;

std::vector<fs::path> Pages() {
  std::set<fs::path> pages = {kSource / "README.md", kSource / "CONTRIBUTING.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "docs")) {
    if (entry.path().extension() == ".md") pages.insert(entry.path());
  }
  return {pages.begin(), pages.end()};
}

constexpr char kQuickstart[] = "docs/quickstart.md";

// The blocks of a page as one script; each says where it stands before it runs.
std::string ScriptOf(const fs::path& page, int& blocks) {
  std::string script = "set -euo pipefail\n";
  const std::string name = fs::relative(page, kSource).string();
  for (const CodeBlock& block : ShellBlocks(ReadText(page))) {
    const std::string place = absl::StrCat(name, ":", block.line);
    if (!block.run) {
      EXPECT_FALSE(block.excuse.empty()) << place << ": says not why it is not run";
      std::cout << place << ": not run: " << block.excuse << "\n";
      continue;
    }
    absl::StrAppend(&script, "echo '== ", place, "' >&2\n", block.text);
    ++blocks;
  }
  return script;
}

class DocsCommandsTest : public ::testing::Test {
 protected:
  DocsCommandsTest() {
    std::string pattern = ::testing::TempDir() + "ringway-docs-XXXXXX";
    clone_ = mkdtemp(pattern.data());
    for (const auto& entry : fs::directory_iterator(kSource)) {
      const std::string name = entry.path().filename();
      if (name != ".git" && name.rfind("build", 0) != 0) fs::create_symlink(entry.path(), clone_ / name);
    }
    fs::create_directory(clone_ / "build");
    fs::create_directory_symlink(RINGWAY_BIN_DIR, clone_ / "build" / "bin");
  }
  ~DocsCommandsTest() override {
    Shell("ringway down", "PATH=\"$PWD/build/bin:$PATH\"", 30);
    fs::remove_all(clone_);
  }
  // `environment`: assignments. The limit only bounds a failure.
  Ran Shell(const std::string& script, const std::string& environment, int limit_s) {
    std::ofstream(clone_ / "build" / "page.sh") << script;
    return RunShell(
        absl::StrCat("cd ", clone_.string(),
                     " && env -u RINGWAY_TOKEN -u RINGWAY_CONTROLLER -u RINGWAY_ROUTER RINGWAY_FREE_PORTS=1 "
                     "NO_COLOR=1 ",
                     environment, " timeout ", limit_s, " bash build/page.sh 2>&1"));
  }
  fs::path clone_;
};

TEST_F(DocsCommandsTest, TheQuickstartRunsFromTopToBottomInAFreshClone) {
  int blocks = 0;
  const std::string script = ScriptOf(kSource / kQuickstart, blocks);
  EXPECT_GE(blocks, 6);
  const Ran ran = Shell(script, "", 150);
  ASSERT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(ReadText(clone_ / "film.mp4").substr(4, 4), "ftyp");
  // The drain has something to move: traffic that enters there is told of before and is served elsewhere
  // then.
  EXPECT_THAT(ran.output, ContainsRegex("eu-west-1 +interactive +home +[0-9.]+ % +0.0 %"));
  EXPECT_THAT(ran.output,
              ContainsRegex("[0-9]+ jobs sent in .*: done [0-9]+ \\(100.0 %\\), refused 0, failed 0"));
  EXPECT_THAT(ran.output, Not(ContainsRegex("eu-west-1 +[0-9]+ +[0-9]+ +0 +0 +100.0 %")));
  EXPECT_FALSE(fs::exists(clone_ / "ringway-world"));
}

TEST_F(DocsCommandsTest, EveryCommandRunsAsPrinted) {
  const Ran up = Shell("ringway up --backend synthetic", "PATH=\"$PWD/build/bin:$PATH\"", 60);
  ASSERT_EQ(up.code, 0) << up.output;
  int run = 0;
  for (const fs::path& page : Pages()) {
    if (page == kSource / kQuickstart) continue;
    int blocks = 0;
    const std::string script = ScriptOf(page, blocks);
    if (blocks == 0) continue;
    const Ran ran =
        Shell("set -a\nsource ringway-world/env\n" + script, "PATH=\"$PWD/build/bin:$PATH\"", 30 * blocks);
    EXPECT_EQ(ran.code, 0) << ran.output;
    run += blocks;
  }
  EXPECT_GE(run, 5) << "the pages are not where they were";
}

// A command that is not in a block of its own would not be run.
TEST(DocsPagesTest, NoFenceIsWithoutALanguageIfItHoldsOurCommands) {
  for (const fs::path& page : Pages()) {
    bool inside = false, bare = false;
    std::istringstream lines(ReadText(page));
    for (std::string line; std::getline(lines, line);) {
      const bool fence = line.find("```") != std::string::npos;
      if (fence) {
        bare = !inside && absl::EndsWith(line, "```");
        inside = !inside;
      }
      const bool command = absl::StartsWith(line, "ringway ") || absl::StartsWith(line, "./dev ");
      EXPECT_FALSE(!fence && bare && inside && command) << page.filename() << ": write ```sh above: " << line;
    }
  }
}

TEST(CodeBlocksTest, BlocksExcusesAndIndentsAreRead) {
  const auto blocks = ShellBlocks(
      "a\n```sh\none\n```\n```yaml\nno\n```\n<!-- not run: slow -->\n```sh\ntwo\n```\n  ```sh\n  three\n  "
      "```\n");
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].text, "one\n");
  EXPECT_EQ(blocks[0].line, 3);
  EXPECT_TRUE(blocks[0].run);
  EXPECT_FALSE(blocks[1].run);
  EXPECT_EQ(blocks[1].excuse, "slow");
  EXPECT_EQ(blocks[2].text, "three\n");
}

}  // namespace
}  // namespace ringway
