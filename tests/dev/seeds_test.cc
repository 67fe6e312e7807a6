// tools/seeds.sh on a program of its own: every seed that fails is found and named with the command that
// repeats it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/deploy/shell.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Seed 7 breaks a rule, seed 13 crashes; it notes what it ran.
constexpr char kProgram[] = R"(#!/usr/bin/env bash
echo "$RINGWAY_SEEDS" >>"${0%/*}/ran"
for ((seed = ${RINGWAY_SEEDS%-*}; seed <= ${RINGWAY_SEEDS#*-}; ++seed)); do
  ((seed != 13)) || kill -SEGV $$
  ((seed != 7)) || { echo "seed 7: at 65.000000 s: two completions were delivered"; exit 1; }
done
)";

class SeedsTest : public ::testing::Test {
 protected:
  SeedsTest() {
    std::string pattern = ::testing::TempDir() + "ringway-seeds-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    std::ofstream(folder_ / "program") << kProgram;
    fs::permissions(folder_ / "program", fs::perms::owner_all);
  }
  ~SeedsTest() override { fs::remove_all(folder_); }

  Ran Seeds(const std::string& arguments) const {
    return RunShell("cd " + folder_.string() + " && RINGWAY_SEEDS_JOBS=2 RINGWAY_SEEDS_EACH=4 timeout 60 " +
                    RINGWAY_SOURCE_DIR + "/tools/seeds.sh " + arguments);
  }

  fs::path folder_;
};

TEST_F(SeedsTest, AllThatFailAreNamedWithTheCommandThatRepeatsThem) {
  const Ran ran = Seeds("./program 1-18");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output,
              AllOf(HasSubstr("seeds: 16 of 18 passed, 2 failed, in "),
                    HasSubstr("seed 7: at 65.000000 s: two completions were delivered\n"
                              "  again: RINGWAY_SEEDS=7 ./program --gtest_filter='SeedSuite.Nothing*'"),
                    HasSubstr("seed 13: it crashed\n")));
}

TEST_F(SeedsTest, WhereNoneFailsThatIsAllThatIsSaid) {
  const Ran ran = Seeds("./program 8-12");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("seeds: 5 of 5 passed, 0 failed, in "), Not(HasSubstr("again:"))));
}

TEST_F(SeedsTest, WhatIsNoRangeAndNoProgramIsSaid) {
  EXPECT_THAT(Seeds("./program many").output, HasSubstr("'many' is no range of seeds"));
  EXPECT_THAT(Seeds("./program 9-3").output, HasSubstr("'9-3' has its first seed behind its last"));
  EXPECT_THAT(Seeds("./absent 1-2").output, HasSubstr("'./absent' is no program"));
}

}  // namespace
}  // namespace ringway
