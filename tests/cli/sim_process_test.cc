// `ringway sim` as processes: a sweep that many processes share comes to the same figures as one process's,
// and a broken file is named with line and column. (Ctrl-C: sim_interrupt_test.cc.)
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/child_process.h"

namespace ringway::cli {
namespace {

using testing::HasSubstr;

class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "ringway-sim-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string Scenario(const std::string& name) {
  return absl::StrCat(RINGWAY_SOURCE_DIR, "/sim/scenarios/", name);
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

runtime::ChildProcess Start(std::vector<std::string> words, const std::string& output) {
  words.insert(words.begin(), {RINGWAY_BIN_DIR "/ringway", "sim"});
  auto child = runtime::ChildProcess::Start(words, output);
  EXPECT_TRUE(child.ok()) << child.status();
  return *std::move(child);
}

// The exit code, or -1 when it did not end by itself within two minutes.
int ExitCode(runtime::ChildProcess& child) {
  const auto status = child.WaitFor(absl::Minutes(2));
  return status && WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
}

// The words of the Job's container, as its manifest has them.
std::vector<std::string> ManifestArguments() {
  const std::string text = ReadAll(RINGWAY_SOURCE_DIR "/deploy/sim/sweep-job.yaml");
  const std::size_t begin = text.find("args: [") + 7;
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : text.substr(begin, text.find(']', begin) - begin)) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      words.emplace_back();
    } else if (quoted || (c != ' ' && c != '\n')) {
      words.back() += c;
    }
  }
  return words;
}

// One pod's command: paths of this machine, and a grid that takes seconds.
std::vector<std::string> PodCommand(const std::string& results, int index, int shards) {
  std::vector<std::string> words = ManifestArguments();
  EXPECT_EQ(words.front(), "sim");
  words.erase(words.begin());
  for (std::string& word : words) {
    word = absl::StrReplaceAll(word, {{"$(JOB_COMPLETION_INDEX)", absl::StrCat(index)},
                                      {"$(SHARDS)", absl::StrCat(shards)},
                                      {"/scenarios/", Scenario("")},
                                      {"/results", results}});
    if (absl::StartsWith(word, "demand=")) word = "demand=0.6,0.9";
    if (absl::StartsWith(word, "threshold=")) word = "threshold=0.7,0.8";
    if (word == "20") word = "2";
  }
  words.insert(words.end(), {"--set", "duration=90", "--threads", "1"});
  return words;
}

TEST(SimProcessTest, ShardsOfAnIndexedJobMergeIntoTheWholeSweep) {
  const Folder folder;
  constexpr int kShards = 3;
  {
    std::vector<runtime::ChildProcess> pods;
    for (int i = 0; i < kShards; ++i) {
      pods.push_back(Start(PodCommand(folder.File("shards"), i, kShards), folder.File("output")));
    }
    // A pod is evicted in mid-work and started again.
    absl::SleepFor(absl::Milliseconds(700));
    pods[1].Signal(SIGKILL);
    pods[1].WaitFor(absl::Seconds(10));
    pods[1] = Start(PodCommand(folder.File("shards"), 1, kShards), folder.File("output"));
    for (runtime::ChildProcess& pod : pods) EXPECT_EQ(ExitCode(pod), 0) << ReadAll(folder.File("output"));
  }
  runtime::ChildProcess whole = Start(PodCommand(folder.File("whole"), 0, 1), folder.File("output"));
  EXPECT_EQ(ExitCode(whole), 0) << ReadAll(folder.File("output"));
  for (const std::string name : {"shards", "whole"}) {
    runtime::ChildProcess merge =
        Start({"merge", folder.File(name), "--csv", folder.File(name + ".csv")}, folder.File("output"));
    EXPECT_EQ(ExitCode(merge), 0) << ReadAll(folder.File("output"));
  }
  const std::string merged = ReadAll(folder.File("shards.csv"));
  EXPECT_GT(std::count(merged.begin(), merged.end(), '\n'), 4) << merged;
  EXPECT_EQ(merged, ReadAll(folder.File("whole.csv")));
}

TEST(SimProcessTest, BrokenFilesAreToldWithLineAndColumn) {
  const Folder folder;
  std::ofstream(folder.File("broken.yaml")) << "apiVersion: ringway/v1\nkind: Scenario\nspec: {a: [1, 2}\n";
  std::ofstream(folder.File("broken.csv")) << "id,time\n1,2.5\n2,soon\n";
  std::ofstream(folder.File("trace.yaml"))
      << "apiVersion: ringway/v1\nkind: Scenario\nmetadata: {name: t}\nspec:\n  topology: " RINGWAY_SOURCE_DIR
         "/topology/local.yaml\n  demand:\n    - {tier: animate, law: trace, file: broken.csv, load: 0.5}\n";
  struct Case {
    const char* file;
    const char* expected;
  };
  for (const Case& c : {Case{"broken.yaml", "broken.yaml:3:"}, Case{"trace.yaml", "broken.csv:3:3"}}) {
    const std::string output = folder.File(absl::StrCat(c.file, ".output"));
    runtime::ChildProcess run = Start({"run", folder.File(c.file)}, output);
    EXPECT_EQ(ExitCode(run), 1);
    EXPECT_THAT(ReadAll(output), HasSubstr(c.expected));
  }
}

}  // namespace
}  // namespace ringway::cli
