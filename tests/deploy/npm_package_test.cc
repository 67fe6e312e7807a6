// With an npm that is a script: it says that it ran, makes the folder at once and the package's file late, as
// npm does.
#include "tests/deploy/npm_package.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/deploy/shell.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class NpmPackageTest : public ::testing::Test {
 protected:
  NpmPackageTest() : folder_(fs::path(::testing::TempDir()) / ("npm_package_" + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "bin");
    WriteNpm("mkdir -p node_modules/thing && sleep 0.3 && touch node_modules/thing/index.js");
    Program("node", "");
    path_ = getenv("PATH");
    setenv("PATH", ((folder_ / "bin").string() + ":" + path_).c_str(), 1);
  }
  ~NpmPackageTest() override {
    setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }
  void WriteNpm(const std::string& body) {
    Program("npm", "echo \"$@\" >> " + (folder_ / "calls").string() + "\n" + body);
  }
  NpmPackage Install(const std::string& spec) { return InstallNpmPackage(spec, "thing", folder_.string()); }
  static bool Whole(const NpmPackage& package) {
    return package.why_not.empty() && fs::exists(package.folder + "/node_modules/thing/index.js");
  }
  int Calls() {
    const std::string calls = ReadText(folder_ / "calls");
    return static_cast<int>(std::count(calls.begin(), calls.end(), '\n'));
  }
  fs::path folder_;

 private:
  void Program(const std::string& name, const std::string& body) {
    const fs::path file = folder_ / "bin" / name;
    std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  std::string path_;
};

TEST_F(NpmPackageTest, WhoeverAsksAtTheSameTimeGetsItWhole) {
  std::vector<std::thread> askers;
  std::vector<char> whole(6, 0);
  for (char& mine : whole) askers.emplace_back([this, &mine] { mine = Whole(Install("thing@1")) ? 1 : 0; });
  for (std::thread& asker : askers) asker.join();
  EXPECT_THAT(whole, ::testing::Each(1));
  EXPECT_EQ(Calls(), 1);
}

TEST_F(NpmPackageTest, WhatWasLeftHalfIsFetchedAgain) {
  WriteNpm("mkdir -p node_modules/thing; echo no network; exit 7");
  EXPECT_THAT(Install("thing@1").why_not, HasSubstr("no network"));
  WriteNpm("mkdir node_modules && mkdir node_modules/thing && touch node_modules/thing/index.js");
  EXPECT_TRUE(Whole(Install("thing@1")));
  EXPECT_EQ(Calls(), 2);
}

TEST_F(NpmPackageTest, AnotherVersionReplacesIt) {
  EXPECT_TRUE(Whole(Install("thing@1")));
  EXPECT_TRUE(Whole(Install("thing@2")));
  EXPECT_TRUE(Whole(Install("thing@2")));
  EXPECT_EQ(Calls(), 2);
}

}  // namespace
}  // namespace ringway
