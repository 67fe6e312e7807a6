// `ringway sim` as processes: a sweep that many processes share comes to the same figures as one process's,
// and a broken file is named with line and column. (Ctrl-C: sim_interrupt_test.cc.)
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/child_process.h"
#include "tests/cli/read_all.h"

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

runtime::ChildProcess Start(std::vector<std::string> words, const std::string& output) {
  words.insert(words.begin(), {RINGWAY_BIN_DIR "/ringway", "sim"});
  auto child = runtime::ChildProcess::Start(words, output);
  EXPECT_TRUE(child.ok()) << child.status();
  return *std::move(child);
}

// The exit code, or -1 when it did not end by itself within two minutes.
int ExitCode(runtime::ChildProcess& child) {
  const auto status = child.WaitFor(Minutes(2));
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
    absl::SleepFor(Milliseconds(700));
    pods[1].Signal(SIGKILL);
    pods[1].WaitFor(Seconds(10));
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

// The number behind a key of JSON text.
double NumberOf(const std::string& json, const std::string& key) {
  const std::size_t at = json.find(absl::StrCat("\"", key, "\":"));
  EXPECT_NE(at, std::string::npos) << key << " in " << json.substr(0, 500);
  return at == std::string::npos ? -1 : std::atof(json.c_str() + at + key.size() + 3);
}

// One region with so many workers, and five minutes of users for ten or so of them.
std::string SmallDay(const Folder& folder, const std::string& name, int workers) {
  std::ofstream(folder.File(name + "-world.yaml"))
      << "apiVersion: ringway/v1\nkind: World\nmetadata: {name: w}\nspec:\n  regions:\n"
         "    - {name: east, title: E, coordinates: {latitudeDeg: 0, longitudeDeg: 0}, utcOffset: "
         "\"+00:00\", "
         "populationShare: 1}\n---\n"
         "apiVersion: ringway/v1\nkind: Tier\nmetadata: {name: animate}\nspec:\n  serviceMean: 2s\n  "
         "deadline: 600s\n"
         "  dispatch: {mode: ledger}\n"
         "  metrics: [{name: busy, aggregation: sum, capacity: 1, capacityPer: worker}]\n"
         "  rings: [{name: all, rttMsMax: 500, unlockLoad: 0.8}]\n  regions:\n    - {region: east, workers: "
      << workers << "}\n";
  std::ofstream(folder.File(name + ".yaml"))
      << "apiVersion: ringway/v1\nkind: Scenario\nmetadata: {name: s}\nspec:\n  topology: " << name
      << "-world.yaml\n  duration: 300s\n  warmup: 30s\n  demand:\n    - {tier: animate, law: poisson, "
         "rateRps: 4}\n";
  return folder.File(name + ".yaml");
}

TEST(SimProcessTest, AFleetThatIsCalledEnoughIsEnoughForEverySeed) {
  const Folder folder;
  constexpr int kSeeds = 4;
  runtime::ChildProcess size = Start({"size", SmallDay(folder, "now", 20), "--slo", "wait_p99_s<=2",
                                      "--seeds", absl::StrCat(kSeeds), "--json"},
                                     folder.File("size.json"));
  EXPECT_EQ(ExitCode(size), 0) << ReadAll(folder.File("size.json"));
  const std::string answer = ReadAll(folder.File("size.json"));
  EXPECT_THAT(answer, HasSubstr("\"confirmed\": true"));
  const int workers = static_cast<int>(NumberOf(answer, "east"));
  ASSERT_GT(workers, 8) << answer;
  ASSERT_LT(workers, 20) << answer;
  const std::string enough = SmallDay(folder, "enough", workers);
  // Those of the search, and as many that it did not see.
  for (int seed = 1; seed <= 2 * kSeeds; ++seed) {
    runtime::ChildProcess run =
        Start({"run", enough, "--seed", absl::StrCat(seed), "--json"}, folder.File("run.json"));
    ASSERT_EQ(ExitCode(run), 0) << ReadAll(folder.File("run.json"));
    EXPECT_LE(NumberOf(ReadAll(folder.File("run.json")), "wait_p99_s"), 2)
        << workers << " workers, seed " << seed;
  }
}

TEST(SimProcessTest, PricesMakeReportsSpeakOfMoneyAndNothingElseDoes) {
  const Folder folder;
  const std::string day = SmallDay(folder, "now", 20);
  const auto output = [&](const std::string& name, std::vector<std::string> words, int code) {
    runtime::ChildProcess child = Start(std::move(words), folder.File(name));
    EXPECT_EQ(ExitCode(child), code) << ReadAll(folder.File(name));
    return ReadAll(folder.File(name));
  };
  EXPECT_THAT(output("plain", {"run", day, "--page", folder.File("plain.html")}, 0),
              testing::Not(HasSubstr("COST")));
  const std::string priced =
      output("priced", {"run", day, "--gpu-hour", "3", "--page", folder.File("priced.html")}, 0);
  EXPECT_THAT(priced, HasSubstr("GPU COST"));
  EXPECT_THAT(priced, HasSubstr("4.50 for 1.50 GPU hours"));  // 20 workers for 270 s
  EXPECT_THAT(priced, HasSubstr("for 1000 served jobs"));
  EXPECT_THAT(ReadAll(folder.File("priced.html")), HasSubstr("\"cost_per_1000_served\":"));
  EXPECT_THAT(ReadAll(folder.File("plain.html")), testing::Not(HasSubstr("\"cost_per_1000_served\":")));
  EXPECT_THAT(output("bytes", {"run", day, "--egress-gb", "0.1"}, 1), HasSubstr("--result-bytes"));
  EXPECT_THAT(
      output("differ", {"compare", day, "--seeds", "2", "--set-b", "workers=1.5", "--gpu-hour", "3"}, 0),
      HasSubstr("cost of 1000 served jobs"));
  EXPECT_THAT(output("slo", {"size", day, "--slo", "cost_per_1000_served<=5"}, 1),
              HasSubstr("without any price"));
  EXPECT_THAT(output("size", {"size", day, "--slo", "wait_p99_s<=2", "--seeds", "2", "--gpu-hour", "3"}, 0),
              HasSubstr("GPU COST/H ENOUGH"));
  // A sweep that had no prices is priced when it is merged, to the same figures.
  output("sweep", {"sweep", day, "--vary", "demand=0.5,1", "--seeds", "1", "--out", folder.File("bare")}, 0);
  output("sweep",
         {"sweep", day, "--vary", "demand=0.5,1", "--seeds", "1", "--gpu-hour", "3", "--out",
          folder.File("told")},
         0);
  const auto merged = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--csv", folder.File("merged.csv")});
    output("merge", std::move(words), 0);
    return ReadAll(folder.File("merged.csv"));
  };
  EXPECT_THAT(merged({"merge", folder.File("bare")}), testing::Not(HasSubstr("cost")));
  const std::string later = merged({"merge", folder.File("bare"), "--gpu-hour", "3"});
  EXPECT_THAT(later, HasSubstr("cost_per_1000_served"));
  EXPECT_EQ(later, merged({"merge", folder.File("told")}));
}

TEST(SimProcessTest, SlicesComeToTheSameOnAnyNumberOfThreads) {
  const Folder folder;
  const std::string day = SmallDay(folder, "now", 20);
  int outputs = 0;
  const auto output = [&](std::vector<std::string> words, int code) {
    words.insert(words.begin(), {"run", day, "--json"});
    const std::string file = folder.File(absl::StrCat("output", ++outputs));
    runtime::ChildProcess child = Start(std::move(words), file);
    EXPECT_EQ(ExitCode(child), code) << ReadAll(file);
    return ReadAll(file);
  };
  const std::string whole = output({}, 0);
  EXPECT_EQ(whole, output({"--slices", "1"}, 0));
  const std::string sliced = output({"--slices", "3", "--threads", "1"}, 0);
  EXPECT_EQ(sliced, output({"--slices", "3", "--threads", "3"}, 0));
  EXPECT_EQ(NumberOf(sliced, "submitted"), NumberOf(whole, "submitted"));
  EXPECT_THAT(sliced, HasSubstr("played as 3 slices, each after a warm-up of 75 s"));
  // An empty fleet at the seam is not the fleet that was there.
  EXPECT_THAT(output({"--slices", "3", "--slice-warmup", "0"}, 1), HasSubstr("--slice-warmup 2"));
  EXPECT_THAT(output({"--slices", "30"}, 1), HasSubstr("at most 4 slices"));
  EXPECT_THAT(output({"--slice-warmup", "10"}, 2), HasSubstr("--slices"));
}

TEST(SimProcessTest, ATraceOfWholeNumbersIsNotGuessedAt) {
  const Folder folder;
  std::ofstream trace(folder.File("trace.csv"));
  trace << "timestamp\n";
  for (int i = 0; i < 1200; ++i) trace << i * 3000 << "\n";  // an hour, in milliseconds
  trace.close();
  SmallDay(folder, "day", 20);
  const auto scenario = [&folder](const std::string& name, const std::string& unit) {
    std::ofstream(folder.File(name))
        << "apiVersion: ringway/v1\nkind: Scenario\nmetadata: {name: s}\nspec:\n  topology: day-world.yaml\n"
           "  duration: 300s\n  warmup: 30s\n  demand:\n    - {tier: animate, law: trace, file: trace.csv, " +
               unit + "rateRps: 0.3335}\n";
    return folder.File(name);
  };
  runtime::ChildProcess guessed = Start({"run", scenario("bare.yaml", "")}, folder.File("bare"));
  EXPECT_EQ(ExitCode(guessed), 1);
  EXPECT_THAT(ReadAll(folder.File("bare")), HasSubstr("may be seconds or milliseconds"));
  runtime::ChildProcess said =
      Start({"run", scenario("said.yaml", "unit: ms, "), "--json"}, folder.File("said"));
  EXPECT_EQ(ExitCode(said), 0) << ReadAll(folder.File("said"));
  EXPECT_NEAR(NumberOf(ReadAll(folder.File("said")), "submitted"), 90, 5);  // 270 s of one in three
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

// Six short days in one file, each with its own demand, and a scenario that plays them as recorded.
std::string SixDays(const Folder& folder) {
  SmallDay(folder, "days", 30);
  std::ofstream trace(folder.File("days.csv"));
  trace << "time_s,service_s\n";
  for (int day = 0; day < 6; ++day) {
    const double gap_s = 0.5 - 0.05 * (day % 3);
    for (double at_s = 0; at_s < 300; at_s += gap_s) trace << 300 * day + at_s << ",1.99\n";
  }
  std::ofstream(folder.File("days.yaml"))
      << "apiVersion: ringway/v1\nkind: Scenario\nmetadata: {name: s}\nspec:\n  topology: days-world.yaml\n"
         "  warmup: 1s\n  duration: 1800s\n  demand:\n    - {law: trace, file: days.csv, rate: recorded}\n";
  return folder.File("days.yaml");
}

TEST(SimProcessTest, ASizeForRecordedDaysSaysWhatOtherDaysMayNeed) {
  const Folder folder;
  const std::string days = SixDays(folder);
  runtime::ChildProcess size = Start(
      {"size", days, "--slo", "wait_p99_s<=0.1", "--day-length", "300", "--json"}, folder.File("size.json"));
  EXPECT_EQ(ExitCode(size), 0) << ReadAll(folder.File("size.json"));
  const std::string answer = ReadAll(folder.File("size.json"));
  EXPECT_EQ(NumberOf(answer, "days"), 6) << answer;
  // 1.99 s of work, and the hand-over, every 0.5, 0.45 and 0.4 s keep four and twice five workers busy: 4.67 on average, with a
  // standard deviation of 0.516. k of six days is 3.67.
  EXPECT_EQ(NumberOf(answer.substr(answer.find("workers_of_samples")), "east"), 5) << answer;
  EXPECT_EQ(NumberOf(answer, "east"), 7) << answer;
  runtime::ChildProcess words =
      Start({"size", days, "--slo", "wait_p99_s<=0.1", "--day-length", "300"}, folder.File("size.txt"));
  EXPECT_EQ(ExitCode(words), 0);
  EXPECT_THAT(ReadAll(folder.File("size.txt")), HasSubstr("with each of 6 recorded days"));
  EXPECT_THAT(ReadAll(folder.File("size.txt")), HasSubstr("with 95 % confidence"));

  runtime::ChildProcess whole =
      Start({"size", days, "--slo", "wait_p99_s<=0.1", "--threads", "1"}, folder.File("whole.txt"));
  EXPECT_EQ(ExitCode(whole), 0);
  EXPECT_THAT(ReadAll(folder.File("whole.txt")), HasSubstr("what other days need it cannot tell"));
}

TEST(SimProcesses, ARunThatIsRecordedIsLivedAgain) {
  const Folder folder;
  const std::vector<std::string> recorded = {"run",          Scenario("controller-outage.yaml"),
                                             "--duration",   "120",
                                             "--journals",   folder.File("lives"),
                                             "--journal-of", "controller",
                                             "--journal-of", "routers",
                                             "--journal-of", "worker-000000"};
  runtime::ChildProcess run = Start(recorded, folder.File("run"));
  ASSERT_EQ(ExitCode(run), 0) << ReadAll(folder.File("run"));
  EXPECT_THAT(ReadAll(folder.File("run")),
              HasSubstr("sim replay " + folder.File("lives/controller/journal")));
  const std::vector<std::pair<std::string, std::string>> programs = {
      {"controller", "every table comes out as it was"},
      {"router-000000", "a router: 1 lives"},
      {"worker-000000", "a worker: 1 lives"}};
  for (const auto& [program, told] : programs) {
    runtime::ChildProcess replay =
        Start({"replay", folder.File("lives/" + program + "/journal")}, folder.File(program));
    EXPECT_EQ(ExitCode(replay), 0) << program;
    EXPECT_THAT(ReadAll(folder.File(program)), HasSubstr(told));
  }

  runtime::ChildProcess again = Start(recorded, folder.File("again"));
  EXPECT_NE(ExitCode(again), 0);
  EXPECT_THAT(ReadAll(folder.File("again")), HasSubstr("is not empty"));
  runtime::ChildProcess all = Start(
      {"run", Scenario("controller-outage.yaml"), "--journals", folder.File("all")}, folder.File("too"));
  EXPECT_NE(ExitCode(all), 0);
  EXPECT_THAT(ReadAll(folder.File("too")), HasSubstr("--journal-of"));
}

}  // namespace
}  // namespace ringway::cli
