// A file is written whole or not at all: under kill -9, on a full disk, over links; and only its owner reads
// it.
#include "runtime/whole_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "absl/time/clock.h"

#include "core/time.h"

namespace ringway::runtime {
namespace {

namespace fs = std::filesystem;

class WholeFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "whole_file.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string File(const std::string& name) const { return folder_ + "/" + name; }
  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static void Write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static unsigned Mode(const std::string& path) {
    struct stat facts {};
    return lstat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777u : 0;
  }
  std::size_t Files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  std::string folder_;
};

TEST_F(WholeFileTest, PartsStandOneAfterTheOtherInPlaceOfWhatWasThere) {
  const std::string path = File("state");
  ASSERT_TRUE(WriteWholeFile(path, {"head ", "", "body"}).ok());
  EXPECT_EQ(Read(path), "head body");
  ASSERT_TRUE(WriteWholeFile(path, {"short"}).ok());
  EXPECT_EQ(Read(path), "short");
  ASSERT_TRUE(WriteWholeFile(path, {}).ok());
  EXPECT_EQ(Read(path), "");
  EXPECT_EQ(Files(), 1u) << "nothing is left beside it";
}

TEST_F(WholeFileTest, APathWithoutAFolderIsOfTheWorkingFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  EXPECT_TRUE(WriteWholeFile("state", {"here"}).ok());
  fs::current_path(before);
  EXPECT_EQ(Read(File("state")), "here");
}

// A child writes two states in turn and is killed anywhere: what is there is one of them, whole.
TEST_F(WholeFileTest, KillNeverLeavesHalfAFile) {
  constexpr int kKills = 40;
  constexpr std::size_t kBytes = std::size_t{256} << 10;
  const std::string path = File("state");
  const std::string states[] = {std::string(kBytes, 'a'), std::string(kBytes / 2, 'b')};
  ASSERT_TRUE(WriteWholeFile(path, {states[0]}).ok());
  int halves = 0;  // of the new file, which a kill leaves where nobody reads it
  for (int kill_number = 0; kill_number < kKills; ++kill_number) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int turn = kill_number;; ++turn)
        if (!WriteWholeFile(path, {states[turn % 2].substr(0, 1000), states[turn % 2].substr(1000)}).ok())
          _exit(1);
    }
    absl::SleepFor(Microseconds(500 + 700 * kill_number));
    EXPECT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it failed before it was killed";
    const std::string found = Read(path);
    ASSERT_TRUE(found == states[0] || found == states[1])
        << found.size() << " bytes after kill " << kill_number;
    halves += fs::exists(path + ".tmp") ? 1 : 0;
  }
  EXPECT_GT(halves, 0) << "no kill met a write";
  // Whatever the last one left is in nobody's way.
  ASSERT_TRUE(WriteWholeFile(path, {"after"}).ok());
  EXPECT_EQ(Read(path), "after");
  EXPECT_EQ(Files(), 1u);
}

// A limit on the size of files stands for a disk that is full: writing ends in the middle.
TEST_F(WholeFileTest, AFullDiskIsNamedAndTheOldFileStays) {
  const std::string path = File("state");
  ASSERT_TRUE(WriteWholeFile(path, {"old"}).ok());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 4096, .rlim_max = 4096};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    const absl::Status status = WriteWholeFile(path, {std::string(10'000, 'n')});
    _exit(absl::StrContains(status.message(), path + ".tmp: cannot write: File too large") ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(Read(path), "old");
  EXPECT_EQ(Files(), 1u) << "half a file is left on a full disk";
}

TEST_F(WholeFileTest, WhatCannotBeWrittenIsNamed) {
  const absl::Status nowhere = WriteWholeFile(File("no/state"), {"x"});
  EXPECT_EQ(nowhere.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(nowhere.message(), File("no/state.tmp") + ": cannot create: No such file or directory");
  fs::create_directory(File("folder"));
  const absl::Status folder = WriteWholeFile(File("folder"), {"x"});
  EXPECT_EQ(folder.message(), File("folder") + ": cannot rename over: Is a directory");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(WholeFileTest, OnlyItsOwnerReadsIt) {
  const std::string path = File("state");
  Write(path, "open to all");
  fs::permissions(path, fs::perms::all);
  const mode_t before = umask(0);
  EXPECT_TRUE(WriteWholeFile(path, {"secret"}).ok());
  umask(before);
  EXPECT_EQ(Mode(path), 0600u);
}

TEST_F(WholeFileTest, LinksAreReplacedAndNeverFollowed) {
  const std::string path = File("state"), other = File("other"), planted = File("planted");
  Write(other, "another's");
  Write(planted, "another's");
  fs::create_symlink(other, path);
  fs::create_symlink(planted, path + ".tmp");
  ASSERT_TRUE(WriteWholeFile(path, {"own"}).ok());
  EXPECT_FALSE(fs::is_symlink(path));
  EXPECT_EQ(Read(path), "own");
  EXPECT_EQ(Read(other), "another's");
  EXPECT_EQ(Read(planted), "another's");
  EXPECT_FALSE(fs::exists(path + ".tmp"));
}

}  // namespace
}  // namespace ringway::runtime
