// `./dev test` with and without names, on a project of four tests in a scratch folder: what is built, what is
// run, and what is said. cmake, ninja and ctest are the real ones.
//
// dpkg-query and df are replaced, so that nothing is installed and a full disk does not matter here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tests/deploy/shell.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr char kPresets[] = R"({
  "version": 6,
  "configurePresets": [{"name": "dev", "generator": "Ninja", "binaryDir": "${sourceDir}/build"}]
})";

// Each target leaves a file in build/built/, each test one in build/ran/. router_test starts a daemon.
constexpr char kProject[] = R"(
cmake_minimum_required(VERSION 3.25)
project(small NONE)
enable_testing()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/built ${CMAKE_BINARY_DIR}/ran)
foreach(name daemon ring_test router_test spring_test broken_test shaky_test dead_test)
  add_custom_target(${name} ALL COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/built/${name})
endforeach()
add_dependencies(router_test daemon)
foreach(name ring_test router_test spring_test)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/ran/${name})
endforeach()
set_tests_properties(spring_test PROPERTIES LABELS slow)
add_test(NAME broken_test COMMAND ${CMAKE_COMMAND} -E false)
# Fails the first time.
add_test(NAME shaky_test COMMAND sh -c "test -f ran/shaky_test || { touch ran/shaky_test; false; }")
add_test(NAME dead_test COMMAND ${CMAKE_COMMAND} -E false)
set_tests_properties(shaky_test dead_test PROPERTIES LABELS live)
)";

void WriteProgram(const fs::path& path, const std::string& script) {
  std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
  fs::permissions(path, fs::perms::owner_all);
}

class TestVerb : public ::testing::Test {
 protected:
  TestVerb() {
    std::string pattern = ::testing::TempDir() + "ringway-dev-XXXXXX";
    clone_ = mkdtemp(pattern.data());
    fs::create_symlink(std::string(RINGWAY_SOURCE_DIR) + "/dev", clone_ / "dev");
    std::ofstream(clone_ / "CMakePresets.json") << kPresets;
    std::ofstream(clone_ / "CMakeLists.txt") << kProject;
    fs::create_directory(clone_ / "replaced");
    WriteProgram(clone_ / "replaced" / "dpkg-query", "echo installed");
    WriteProgram(clone_ / "replaced" / "df", "exit 1");
  }
  ~TestVerb() override { fs::remove_all(clone_); }

  Ran Test(const std::string& arguments) const {
    return RunShell("cd " + clone_.string() +
                    " && env -u CI PATH=\"$PWD/replaced:$PATH\" timeout 60 ./dev test " + arguments);
  }
  std::set<std::string> Files(const std::string& folder) const {
    std::set<std::string> names;
    if (!fs::exists(clone_ / "build" / folder)) return names;
    for (const auto& entry : fs::directory_iterator(clone_ / "build" / folder)) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  fs::path clone_;
};

TEST_F(TestVerb, TheWholeNameOfATestMeansThatOne) {
  const Ran ran = Test("ring_test");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(Files("built"), UnorderedElementsAre("ring_test"));
  EXPECT_THAT(Files("ran"), UnorderedElementsAre("ring_test"));
  EXPECT_THAT(ran.output, EndsWith("\n1 passed, 0 failed, 0 skipped\n"));
}

TEST_F(TestVerb, APatternMeansAllThatMatchIt) {
  const Ran ran = Test("'ring_te'");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(Files("built"), UnorderedElementsAre("ring_test", "spring_test"));
  EXPECT_THAT(Files("ran"), UnorderedElementsAre("ring_test", "spring_test"));
}

TEST_F(TestVerb, SeveralNamesBringWhatEachOfThemNeeds) {
  const Ran ran = Test("ring_test '^rou'");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(Files("built"), UnorderedElementsAre("daemon", "ring_test", "router_test"));
  EXPECT_THAT(Files("ran"), UnorderedElementsAre("ring_test", "router_test"));
}

TEST_F(TestVerb, OptionsAfterNamesChooseAmongThem) {
  const Ran ran = Test("ring -L slow");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(Files("built"), UnorderedElementsAre("spring_test"));
  EXPECT_THAT(Files("ran"), UnorderedElementsAre("spring_test"));
}

TEST_F(TestVerb, ANameThatNothingMatchesBuildsNothing) {
  Ran ran = Test("ring_test rnig_test");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("no test's name matches 'rnig_test'"));
  EXPECT_THAT(Files("built"), IsEmpty());
  ran = Test("ring_test -L slow");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("no test matches"));
  EXPECT_THAT(Files("built"), IsEmpty());
}

TEST_F(TestVerb, AFailureIsCountedAndIsTheExitStatus) {
  const Ran ran = Test("broken_test ring_test");
  EXPECT_NE(ran.code, 0);
  EXPECT_THAT(ran.output, EndsWith("\n1 passed, 1 failed, 0 skipped\n"));
}

TEST_F(TestVerb, ATestOfRealProcessesHasASecondTryAndIsNamed) {
  const Ran ran = Test("shaky_test ring_test");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("run again with nothing beside them: shaky_test"));
  EXPECT_THAT(ran.output, EndsWith("\n2 passed, 0 failed, 0 skipped\n"));
}

TEST_F(TestVerb, WhatFailsTwiceHasFailed) {
  const Ran ran = Test("shaky_test dead_test");
  EXPECT_NE(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, EndsWith("\n1 passed, 1 failed, 0 skipped\n"));
}

TEST_F(TestVerb, BesideAnotherFailureThereIsNoSecondTry) {
  const Ran ran = Test("shaky_test broken_test");
  EXPECT_NE(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, EndsWith("\n0 passed, 2 failed, 0 skipped\n"));
}

// It once compiled everything first.
TEST_F(TestVerb, TidyCompilesTheNamedSourceAndNothingElse) {
  std::ofstream(clone_ / "ring.cc") << "int ring;\n";
  std::ofstream(clone_ / "CMakeLists.txt", std::ios::app) << "enable_language(CXX)\n"
                                                             "add_library(ring OBJECT ring.cc)\n";
  WriteProgram(clone_ / "replaced" / "clang-tidy", "echo looked at \"$@\"");
  const std::string tidy =
      "cd " + clone_.string() + " && PATH=\"$PWD/replaced:$PATH\" timeout 60 ./dev tidy ";
  Ran ran = RunShell(tidy + "ring.cc");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("looked at --quiet -p build ring.cc"));
  EXPECT_THAT(Files("built"), IsEmpty());
  EXPECT_THAT(Files("CMakeFiles/ring.dir"), ::testing::Contains("ring.cc.o"));
  ran = RunShell(tidy + "rnig.cc");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, HasSubstr("there is no file 'rnig.cc'"));
}

TEST_F(TestVerb, OptionsAloneBuildEverything) {
  const Ran ran = Test("-L slow");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(Files("built").size(), 7u);
  EXPECT_THAT(Files("ran"), UnorderedElementsAre("spring_test"));
}

}  // namespace
}  // namespace ringway
