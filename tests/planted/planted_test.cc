// The planted faults still fit the code that they are to break. Whether the seeds find them: ./dev planted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "tests/planted/planted_patch.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> LinesOf(const fs::path& path) { return absl::StrSplit(TextOf(path), '\n'); }

std::vector<fs::path> Patches() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(fs::path(RINGWAY_SOURCE_DIR) / "tests/planted")) {
    if (entry.path().extension() == ".patch") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(PlantedFaults, EachAppliesToTheTreeAndChangesIt) {
  for (const fs::path& path : Patches()) {
    SCOPED_TRACE(path.filename().string());
    const PlantedPatch patch = ParsePlanted(TextOf(path));
    EXPECT_FALSE(patch.files.empty());
    for (const auto& [file, hunks] : patch.files) {
      EXPECT_THAT(file, Not(StartsWith("tests/"))) << "a planted fault is one of the product";
      const std::vector<std::string> before = LinesOf(fs::path(RINGWAY_SOURCE_DIR) / file);
      const std::vector<std::string> after = Apply(hunks, before);
      EXPECT_THAT(hunks, Not(IsEmpty()));
      EXPECT_THAT(after, Not(IsEmpty())) << file << " has changed: plant the fault anew";
      EXPECT_NE(after, before) << "nothing is planted";
    }
  }
}

TEST(PlantedFaults, EachSaysWhatItDoesWhoSuffersAndWhoFindsIt) {
  for (const fs::path& path : Patches()) {
    SCOPED_TRACE(path.filename().string());
    const PlantedPatch patch = ParsePlanted(TextOf(path));
    EXPECT_THAT(patch.fault, ContainsRegex("[.]$"));
    EXPECT_THAT(patch.suffers, ContainsRegex("[.]$"));
    // Whoever plants one that no seed finds makes worlds sharper, or checkers that see more.
    EXPECT_THAT(patch.found_by, ContainsRegex("^seed [0-9]+ of the seed suite: .+"));
  }
}

TEST(PlantedFaults, AreInEveryMachineThatSeedsRun) {
  std::set<std::string> places;
  std::size_t count = 0;
  for (const fs::path& path : Patches()) {
    ++count;
    for (const auto& [file, hunks] : ParsePlanted(TextOf(path)).files) {
      places.insert(fs::path(file).has_parent_path() ? file : "");
    }
  }
  EXPECT_GE(count, 20u);
  for (const char* file : {"router/session/ledger_session.cc", "router/worker_registry.cc",
                           "router/session/ledger_leader.cc", "worker/slot.cc", "worker/worker_node.h",
                           "router/once/record_table.cc", "controller/fleet/leader_registry.cc"}) {
    EXPECT_TRUE(places.contains(file)) << file;
  }
}

// The applier itself: what has changed around the fault is noticed.
TEST(PlantedFaults, AHunkThatIsNotThereDoesNotApply) {
  const PlantedPatch patch =
      ParsePlanted("Fault: f.\n\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
  EXPECT_EQ(Apply(patch.files.at("x"), {"zero", "one", "two", "three", "four"}),
            (std::vector<std::string>{"zero", "one", "2", "three", "four"}));
  EXPECT_THAT(Apply(patch.files.at("x"), {"one", "two and more", "three"}), IsEmpty());
}

}  // namespace
}  // namespace ringway
