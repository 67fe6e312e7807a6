// What is shipped in deploy/ fits the programs: every flag exists, and systemd accepts the units.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "tests/deploy/shell.h"

namespace ringway {
namespace {

namespace fs = std::filesystem;

const std::string kDeploy = std::string(RINGWAY_SOURCE_DIR) + "/deploy";

using FlagsByProgram = std::map<std::string, std::set<std::string>>;

// A flag belongs to the last program that was started before it: in ExecStart= or in `command:`. The files
// with environment variables are named after their program.
void CollectFlags(const fs::path& path, FlagsByProgram& flags) {
  static const std::regex token(
      R"((?:ExecStart=/usr/bin/|command: \[)(ringway(?:-[a-z]+)?)\b|(?:^|[\s=])(--[a-z][a-z-]+))");
  std::string program;
  if (path.extension() == ".env") {
    program = "ringway-" + path.stem().string().substr(0, path.stem().string().find('-'));
  }
  std::istringstream lines(ReadText(path));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(" \t");
    if (start == std::string::npos || line[start] == '#') continue;
    for (std::sregex_iterator it(line.begin(), line.end(), token), end; it != end; ++it) {
      if ((*it)[1].matched) program = (*it)[1];
      if ((*it)[2].matched) flags[program].insert((*it)[2]);
    }
  }
}

// A mistake in a unit file or a manifest used to end a daemon with code 106 and two lines of its parser's.
TEST(DeployTest, AMistakeOnADaemonsCommandLineIsOneLineAndCode2) {
  for (const std::string program : {"ringway-controller", "ringway-router", "ringway-worker"}) {
    const std::string path = std::string(RINGWAY_BIN_DIR) + "/" + program;
    for (const std::string flags : {"", "--region x", "--no-such-flag", "--listen"}) {
      const Ran ran = RunShell("timeout 20 " + path + " " + flags + " 2>&1");
      EXPECT_EQ(ran.code, 2) << program << " " << flags << "\n" << ran.output;
      EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
      EXPECT_EQ(ran.output.rfind(program + ": ", 0), 0u) << ran.output;
      EXPECT_NE(ran.output.find("`" + program + " --help` lists the options"), std::string::npos)
          << ran.output;
    }
    EXPECT_EQ(RunShell(path + " --help").code, 0);
    const Ran version = RunShell(path + " --version");
    EXPECT_EQ(version.code, 0);
    EXPECT_EQ(version.output.rfind(program + " ", 0), 0u) << version.output;
  }
}

TEST(DeployTest, EveryFlagThatIsUsedExists) {
  FlagsByProgram flags;
  for (const auto& entry : fs::recursive_directory_iterator(kDeploy)) {
    const std::string extension = entry.path().extension();
    if (extension == ".service" || extension == ".env" || extension == ".yaml")
      CollectFlags(entry.path(), flags);
  }
  // The command line's only use there is the sweep.
  const std::map<std::string, std::string> commands = {{"ringway", "ringway sim sweep"},
                                                       {"ringway-controller", "ringway-controller"},
                                                       {"ringway-router", "ringway-router"},
                                                       {"ringway-worker", "ringway-worker"}};
  for (const auto& [program, command] : commands) {
    ASSERT_GE(flags[program].size(), 4u) << program;
    const std::string help = OutputOf(std::string(RINGWAY_BIN_DIR) + "/" + command + " --help");
    for (const std::string& flag : flags[program]) {
      EXPECT_TRUE(std::regex_search(help, std::regex(flag + "[ ,=\\n]"))) << program << " has no " << flag;
    }
  }
  EXPECT_EQ(flags.size(), commands.size()) << "a flag stands before any program";
}

TEST(DeployTest, SystemdAcceptsTheUnits) {
  if (!Installed("systemd-analyze")) GTEST_SKIP() << "no systemd-analyze here";
  std::string folder = ::testing::TempDir() + "ringway-units-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  int units = 0;
  for (const auto& entry : fs::directory_iterator(kDeploy + "/systemd")) {
    if (entry.path().extension() != ".service") continue;
    // The programs lie in the build folder here, not in /usr/bin.
    const std::string text = std::regex_replace(ReadText(entry.path()), std::regex("/usr/bin/"),
                                                std::string(RINGWAY_BIN_DIR) + "/");
    std::ofstream(fs::path(folder) / entry.path().filename()) << text;
    ++units;
  }
  EXPECT_EQ(units, 3);
  // It exits with 0 on a bad value and only says so.
  EXPECT_EQ(OutputOf("systemd-analyze verify --man=no " + folder + "/*.service"), "");
  fs::remove_all(folder);
}

// 0 is perfect and 10 is naked; what is above 2 has been given something that a unit of ours does not need.
TEST(DeployTest, SystemdFindsTheUnitsLockedDown) {
  if (!Installed("systemd-analyze")) GTEST_SKIP() << "no systemd-analyze here";
  for (const auto& entry : fs::directory_iterator(kDeploy + "/systemd")) {
    if (entry.path().extension() != ".service") continue;
    const Ran ran = RunShell("systemd-analyze security --no-pager --offline=true --threshold=20 " +
                             entry.path().string());
    EXPECT_EQ(ran.code, 0) << ran.output;
    EXPECT_NE(ran.output.find("Overall exposure level"), std::string::npos) << ran.output;
  }
}

TEST(DeployTest, WhatWaitsForAJobWaitsLongerThanTheDrain) {
  const struct {
    const char *file, *drain, *stop;
  } places[] = {
      {"/systemd/ringway-worker@.service", "--drain-timeout (\\d+)", "TimeoutStopSec=(\\d+)"},
      {"/systemd/ringway-router.service", "--shutdown-grace-period-secs (\\d+)", "TimeoutStopSec=(\\d+)"},
      {"/haproxy/ringway-router.service", "--shutdown-grace-period-secs (\\d+)", "TimeoutStopSec=(\\d+)"},
      {"/kubernetes/gpu-pod.yaml", "--drain-timeout=(\\d+)", "terminationGracePeriodSeconds: (\\d+)"},
      {"/kubernetes/gpu-pod.yaml", "--shutdown-grace-period-secs=(\\d+)",
       "terminationGracePeriodSeconds: (\\d+)"}};
  for (const auto& place : places) {
    const std::string text = ReadText(kDeploy + place.file);
    std::smatch drain, stop;
    ASSERT_TRUE(std::regex_search(text, drain, std::regex(place.drain))) << place.file;
    ASSERT_TRUE(std::regex_search(text, stop, std::regex(place.stop))) << place.file;
    EXPECT_GE(std::stoi(drain[1]), 300) << place.file << ": films take minutes";
    EXPECT_GT(std::stoi(stop[1]), std::stoi(drain[1])) << place.file;
  }
}

TEST(DeployTest, KustomizeBuildsTheManifests) {
  if (!Installed("kubectl")) GTEST_SKIP() << "no kubectl here";
  const std::string built = OutputOf("kubectl kustomize " + kDeploy + "/kubernetes");
  for (const char* expected : {"kind: Deployment", "kind: StatefulSet", "kind: ConfigMap", "kind: Service",
                               "image: ringway:", "RINGWAY_REGION: "}) {
    EXPECT_NE(built.find(expected), std::string::npos) << expected << " is missing in:\n" << built;
  }
}

}  // namespace
}  // namespace ringway
