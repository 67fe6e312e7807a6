// What README and docs/ tell people to type is typed here, as printed, in a world of real daemons.
//
// The world has the names of topology/local.yaml. Commands find its controller and a router through the
// environment, as anybody's shell would; they run in a folder that looks like a clone after ./dev build: the
// checkout's topology/ and build/bin under these names, and nothing else of it. The programs are on the PATH,
// as an installation would have them, except on a page that tells its reader to put them there: what that
// page exports is the only way to them. A block fails when one of its commands does. What cannot be run says
// why, in the page's source, and is printed here.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/deploy/shell.h"
#include "tests/docs/code_blocks.h"
#include "tests/live/small_world.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = RINGWAY_SOURCE_DIR;

std::vector<fs::path> Pages() {
  std::set<fs::path> pages = {kSource / "README.md", kSource / "CONTRIBUTING.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "docs")) {
    if (entry.path().extension() == ".md") pages.insert(entry.path());
  }
  return {pages.begin(), pages.end()};
}

// The lines that a reader's shell remembers from block to block.
std::string ExportsOf(const CodeBlock& block) {
  std::string exports;
  std::istringstream lines(block.text);
  for (std::string line; std::getline(lines, line);) {
    if (absl::StartsWith(line, "export ")) exports += line + "\n";
  }
  return exports;
}

// 30 s are far more than any of these needs; the limit only bounds a failure.
Ran RunBlock(const CodeBlock& block, const std::string& exports, bool installed, live::SmallWorld& world,
             const fs::path& folder) {
  const fs::path script = folder / "block.sh";
  std::ofstream(script) << exports << block.text;
  return RunShell(absl::StrCat(
      "cd ", folder.string(), " && env -u RINGWAY_TOKEN RINGWAY_CONTROLLER=", world.controller().grpc(),
      " RINGWAY_ROUTER=", world.Doors("us-east-1").front(), " RINGWAY_VIDEOS=http://",
      world.router("us-east-1-0").videos(), " NO_COLOR=1 PATH=", installed ? RINGWAY_BIN_DIR ":" : "",
      "$PATH timeout 30 bash -euo pipefail block.sh"));
}

TEST(DocsCommandsTest, EveryCommandRunsAsPrinted) {
  live::SmallWorld world({.regions = {{"us-east-1", 1, 1}, {"eu-west-1", 1, 1}},
                          .service_mean_s = 0.05,
                          .router_flags = {"--videos-listen", "127.0.0.1:0"}});
  ASSERT_TRUE(world.AwaitReady());
  live::ScratchFolder scratch;
  fs::create_directory_symlink(kSource / "topology", scratch.File("topology"));
  fs::create_directory(scratch.File("build"));
  fs::create_directory_symlink(RINGWAY_BIN_DIR, scratch.File("build/bin"));
  std::ofstream(scratch.File("photo.png")) << "the synthetic backend takes anything";
  int run = 0;
  for (const fs::path& page : Pages()) {
    const std::string text = ReadText(page);
    const bool installed = text.find("export PATH=") == std::string::npos;
    std::string exports;
    for (const CodeBlock& block : ShellBlocks(text)) {
      const std::string place = absl::StrCat(fs::relative(page, kSource).string(), ":", block.line);
      if (!block.run) {
        EXPECT_FALSE(block.excuse.empty()) << place << ": says not why it is not run";
        std::cout << place << ": not run: " << block.excuse << "\n";
        continue;
      }
      const Ran ran = RunBlock(block, exports, installed, world, scratch.path());
      exports += ExportsOf(block);
      EXPECT_EQ(ran.code, 0) << place << ":\n" << block.text << "printed:\n" << ran.output;
      ++run;
    }
  }
  EXPECT_GE(run, 5) << "the pages are not where they were";
}

// A command that is not in a block of its own would not be run.
TEST(DocsCommandsTest, NoFenceIsWithoutALanguageIfItHoldsOurCommands) {
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
