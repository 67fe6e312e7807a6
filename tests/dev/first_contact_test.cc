// The parts of tools/first_contact.sh: which commands of a page it types, and what it takes for an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/deploy/shell.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kSource = RINGWAY_SOURCE_DIR;

class FirstContactTest : public ::testing::Test {
 protected:
  FirstContactTest() {
    std::string pattern = ::testing::TempDir() + "ringway-contact-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~FirstContactTest() override { fs::remove_all(folder_); }

  std::string File(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string Blocks(const std::string& page) const {
    return OutputOf("awk -v page=page.md -f " + kSource + "/tools/docs/blocks.awk " + File("page.md", page));
  }
  // The lines that are held against the page; empty: none.
  std::string Errors(const std::string& page, const std::string& output) const {
    const Ran ran = RunShell("awk -f " + kSource + "/tools/docs/errors.awk " + File("page.md", page) + " " +
                             File("output.txt", output));
    EXPECT_EQ(ran.code, ran.output.empty() ? 0 : 1) << ran.output;
    return ran.output;
  }
  fs::path folder_;
};

TEST_F(FirstContactTest, BlocksAreTypedInOrderAndExcusesKept) {
  EXPECT_EQ(
      Blocks("a\n```sh\none\n```\n```yaml\nno\n```\n<!-- not run: slow -->\n```sh\ntwo\n```\n"
             "<!-- not run: in tests: compiled already -->\n```sh\nthree\n```\n  ```sh\n  four\n  ```\n"),
      "set -euo pipefail\necho '== page.md:3' >&2\none\n# page.md:10 not run: slow\n"
      "echo '== page.md:14' >&2\nthree\necho '== page.md:17' >&2\nfour\n");
}

TEST_F(FirstContactTest, AnErrorThatThePageDoesNotAnnounceIsFound) {
  const std::string page = "It prints\n\n    error: 3 workers are away\n\nand BUSY is not an error.\n";
  EXPECT_EQ(Errors(page, "fine\nError: no such file\n"), "Error: no such file\n");
  EXPECT_EQ(Errors(page, "load: 2 errors\n"), "load: 2 errors\n");
  EXPECT_EQ(Errors(page, "{\"error\":{\"code\":500}}\n"), "{\"error\":{\"code\":500}}\n");
  EXPECT_EQ(Errors(page, "\033[31merror\033[0m: it broke\n"), "error: it broke\n");
  EXPECT_EQ(Errors(page, "errors 0.5 %\n"), "errors 0.5 %\n");
}

TEST_F(FirstContactTest, WhatIsAnnouncedOrNoErrorIsNotHeldAgainstThePage) {
  const std::string page = "It prints\n\n    error: 3 workers are away\n";
  for (const char* output :
       {"error: 12 workers are away\n", "0 errors\n", "sent 10, errors 0, done 10\n", "no errors\n",
        "{\"error\":null}\n", "REGION  ERRORS\n", "compiling sim/errors.cc\n"})
    EXPECT_EQ(Errors(page, output), "") << output;
}

TEST_F(FirstContactTest, MistakesOnItsCommandLineAreToldBeforeAnythingIsMade) {
  const std::string script = kSource + "/tools/first_contact.sh ";
  Ran ran = RunShell(script + "--only newcomer,nobody");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.output, HasSubstr("no user 'nobody'; there are newcomer operator"));
  ran = RunShell(script + "--fast");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.output, HasSubstr("no option '--fast'"));
}

// A user's page that is not there, or has not one command, would be played without anybody seeing it.
TEST_F(FirstContactTest, EveryUserHasCommandsToType) {
  for (const char* page : {"README.md", "docs/quickstart.md", "docs/operating.md", "docs/videos-api.md",
                           "docs/simulating.md", "docs/deploy.md"}) {
    EXPECT_THAT(ReadText(kSource + "/tools/first_contact.sh"), HasSubstr(page));
    EXPECT_THAT(Blocks(ReadText(kSource + "/" + page)), HasSubstr("\necho '== page.md:")) << page;
  }
  EXPECT_THAT(Blocks(ReadText(kSource + "/README.md")), HasSubstr("\n./dev demo "));
  EXPECT_THAT(Blocks(ReadText(kSource + "/README.md")), Not(HasSubstr("\n./dev test ")));
}

TEST_F(FirstContactTest, ItsScriptIsSound) {
  if (!Installed("shellcheck")) GTEST_SKIP() << "no shellcheck here";
  const Ran ran = RunShell("shellcheck " + kSource + "/tools/first_contact.sh");
  EXPECT_EQ(ran.code, 0) << ran.output;
}

}  // namespace
}  // namespace ringway
