// Self-tests of the rules about words: names, open ends, hosts, blanks, and what the documents name.
#include <gtest/gtest.h>

#include "tests/tidy/snippet.h"

namespace ringway::tidy {
namespace {

TEST(NamesRule, NamesThatSayNothingAreCaught) {
  EXPECT_EQ(FindingsOf(CheckNames, "core/string_util.cc", "").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckNames, "core/utils.h", "").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckNames, "core/a.h", "class QueueManager {\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckNames, "core/a.h", "  struct RegionInfo;\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckNames, "core/a.h", "enum class BaseKind { kA };\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckNames, "core/a.h", "using JobData = int;\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckNames, "proto/a.proto", "message PeerInfo {\n").size(), 1u);

  EXPECT_TRUE(FindingsOf(CheckNames, "core/database.h", "struct Baseline {\n").empty());
  EXPECT_TRUE(FindingsOf(CheckNames, "core/a.h", "// class QueueManager\nstruct Ledger : Base {\n").empty());
}

TEST(NamesRule, WordsOfOurOwnAreCaughtWhereTheFieldHasATerm) {
  EXPECT_EQ(FindingsOf(CheckNames, "router/tier_desk.h", "").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckNames, "sim/a.h", "class Troubles {\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckNames, "router/a.h", "struct HolderBook {\n").size(), 1u);

  EXPECT_TRUE(FindingsOf(CheckNames, "core/history.h", "class Heartbeat {\n").empty());
  EXPECT_TRUE(
      FindingsOf(CheckNames, "core/a.h", "// the holder of the lease\nstruct Placeholder;\n").empty());
}

TEST(OpenEndsRule, WantATypeAndAReason) {
  const std::string mark =
      "TO"
      "DO";
  EXPECT_EQ(FindingsOf(CheckOpenEnds, "core/a.cc", "// " + mark + ": later\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckOpenEnds, "core/a.cc", "// " + mark + "(alice): later\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckOpenEnds, "docs/a.md",
                       "FIX"
                       "ME\n")
                .size(),
            1u);
  EXPECT_TRUE(FindingsOf(CheckOpenEnds, "core/a.cc", "// " + mark + "(perf): batch these\n").empty());
}

TEST(HostsRule, HostsAndMachinePathsAreCaught) {
  EXPECT_EQ(FindingsOf(CheckHostsAndPaths, "docs/a.md",
                       "see http://deb.debian"
                       ".org/debian\n")
                .size(),
            1u);
  EXPECT_EQ(FindingsOf(CheckHostsAndPaths, "deploy/a.yaml",
                       "image: ghcr"
                       ".io/x/y\n")
                .size(),
            1u);
  EXPECT_EQ(FindingsOf(CheckHostsAndPaths, "core/a.cc",
                       "open(\"/ho"
                       "me/me/x\");\n")
                .size(),
            1u);
  EXPECT_TRUE(FindingsOf(CheckHostsAndPaths, "docs/a.md",
                         "see bench/wo"
                         "rk/a and https://example.org/home\n")
                  .empty());
}

TEST(WhitespaceRule, BlanksAtTheEndAreCaught) {
  EXPECT_EQ(FindingsOf(CheckWhitespace, "core/a.cc", "int a; \n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckWhitespace, "core/a.cc", "int a;\r\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckWhitespace, "core/a.cc", "\tint a;\n").size(), 1u);
  EXPECT_EQ(FindingsOf(CheckWhitespace, "core/a.cc", "int a;").size(), 1u);
  EXPECT_TRUE(FindingsOf(CheckWhitespace, "core/a.cc", "int a;\n\n").empty());
}

Findings Documented(const std::string& text) {
  SourceTree tree = Tree({{"docs/a.md", text},
                          {"core/ids.h", ""},
                          {"README.md", ""},
                          {"dev", "verb_test() { # test\nverb_bench() {\n"}});
  tree.others = {"bench", "bench/planner", "core", "docs"};
  return FindingsOf(CheckDocumentedPaths, tree);
}

TEST(DocumentedPathsRule, WhatADocumentNamesExists) {
  EXPECT_EQ(Documented("see `core/id.h`\n").size(), 1u);
  EXPECT_EQ(Documented("see `elsewhere/a.cc` and `core/`\n").size(), 1u);
  EXPECT_EQ(Documented("see [ids](../core/id.h)\n").size(), 1u);
  EXPECT_EQ(Documented("run `./dev tset`\n").size(), 1u);
  EXPECT_EQ(Documented("```\n./dev bench planer --quick\n```\n").size(), 1u);
  EXPECT_EQ(Documented("see `OTHER.md`\n").size(), 1u);

  EXPECT_TRUE(
      Documented("see `core/ids.h`, `core/`, [ids](../core/ids.h#a), [x](https://x.org/y), `README.md`\n")
          .empty());
  EXPECT_TRUE(Documented("run `./dev test`, `./dev bench planner --quick`, `./dev bench NAME`\n").empty());
  EXPECT_TRUE(Documented("`application/json`, `/metrics`, `build/bin/ringway`, `a < b/c`\n").empty());
}

TEST(SourcesAreBuiltRule, ASourceThatNobodyBuildsIsCaught) {
  const auto tree = [](const char* lists) {
    return Tree({{"core/CMakeLists.txt", lists}, {"core/a/b.cc", ""}});
  };
  EXPECT_EQ(FindingsOf(CheckSourcesAreBuilt, tree("SRCS a.cc")).size(), 1u);
  EXPECT_EQ(FindingsOf(CheckSourcesAreBuilt, tree("SRCS b.cc")).size(), 1u);
  EXPECT_TRUE(FindingsOf(CheckSourcesAreBuilt, tree("SRCS a/b.cc")).empty());
}

}  // namespace
}  // namespace ringway::tidy
