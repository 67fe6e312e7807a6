// What a contributor takes for granted: tests named after their folders, one version, packages that something uses, and
// the files that people look for in a repository.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tests/deploy/shell.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kSource = RINGWAY_SOURCE_DIR;

// Every match of the only group.
std::vector<std::string> Matches(const std::string& text, const std::string& pattern) {
  std::vector<std::string> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), expression), none; it != none; ++it) found.push_back((*it)[1]);
  return found;
}

std::vector<fs::path> TestFolders() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "tests"))
    if (entry.path().filename() == "CMakeLists.txt" && entry.path().parent_path().filename() != "tests")
      folders.push_back(fs::relative(entry.path().parent_path(), kSource));
  return folders;
}

// `./dev test '^planner_'` has to be all of tests/planner/, and only that.
TEST(ContributorTest, TestProgramsAreCalledAfterTheirFolders) {
  int programs = 0;
  for (const fs::path& folder : TestFolders()) {
    const std::string prefix = absl::StrReplaceAll(fs::relative(folder, "tests").string(), {{"/", "_"}}) + "_";
    const std::string lists = ReadText(kSource / folder / "CMakeLists.txt");
    for (const std::string& program : Matches(lists, "ringway_(?:script_)?test\\(\\s*([a-z0-9_]+)")) {
      EXPECT_TRUE(absl::StartsWith(program, prefix)) << folder << ": " << program << " should begin with " << prefix;
      ++programs;
    }
  }
  EXPECT_GT(programs, 80);
}

TEST(ContributorTest, EveryTestFolderStandsInTheTable) {
  const std::string page = ReadText(kSource / "docs/testing.md");
  for (const fs::path& folder : TestFolders()) EXPECT_THAT(page, HasSubstr(absl::StrCat("`", folder.string(), "/`")));
}

TEST(ContributorTest, TheVersionIsThatOfTheBuildFileEverywhere) {
  const std::vector<std::string> versions =
      Matches(ReadText(kSource / "CMakeLists.txt"), "project\\(ringway VERSION ([0-9.]+)");
  ASSERT_EQ(versions.size(), 1u);
  const std::pair<const char*, const char*> places[] = {
      {"deploy/helm/ringway/Chart.yaml", "(?:^|\\n)(?:version|appVersion): ([0-9.]+)"},
      {"deploy/kubernetes/kustomization.yaml", "newTag: ([0-9.]+)"},
      {"Containerfile", "ringway:([0-9]+\\.[0-9.]+[0-9])"},
      {"docs/deploy.md", "ringway:([0-9]+\\.[0-9.]+[0-9])"},
      {"CHANGELOG.md", "\\n## ([0-9.]+)"}};
  for (const auto& [file, pattern] : places) {
    const std::vector<std::string> found = Matches(ReadText(kSource / file), pattern);
    EXPECT_FALSE(found.empty()) << file;
    for (const std::string& version : found) EXPECT_EQ(version, versions[0]) << file;
  }
  // Programs are told by the build file.
  for (const char* folder : {"cli", "controller", "router", "worker"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".cc" && extension != ".h") continue;
      EXPECT_EQ(ReadText(entry.path()).find("\"" + versions[0]), std::string::npos) << entry.path();
    }
  }
}

TEST(ContributorTest, WhatPeopleLookForInARepositoryIsThere) {
  for (const char* file : {"README.md", "LICENSE", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Containerfile",
                           ".github/workflows/ci.yml", ".devcontainer/devcontainer.json"})
    EXPECT_TRUE(fs::exists(kSource / file)) << file;
  // Whatever runs the tests runs them in the same way.
  EXPECT_THAT(ReadText(kSource / ".github/workflows/ci.yml"), HasSubstr(".ci/run"));
}

// libbenchmark-dev was installed by every verb, and nothing included it.
TEST(ContributorTest, NoPackageIsInstalledForNothing) {
  const std::string dev = ReadText(kSource / "dev");
  std::string sources;
  for (const char* folder : {"bench", "tests", "cmake"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder))
      if (entry.is_regular_file() && entry.path().extension() != ".webp") sources += ReadText(entry.path());
  }
  const std::pair<const char*, const char*> libraries[] = {{"libbenchmark-dev", "#include <bench" "mark/"},
                                                           {"libgtest-dev", "gtest/gtest.h"},
                                                           {"libgmock-dev", "gmock/gmock.h"}};
  for (const auto& [package, use] : libraries)
    EXPECT_EQ(dev.find(package) != std::string::npos, sources.find(use) != std::string::npos) << package;
}

}  // namespace
}  // namespace ringway
