#include "cli/world/record.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "cli/session.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cli/run.h"

namespace ringway::cli {
namespace {

using ::testing::HasSubstr;

class WorldRecordTest : public ::testing::Test {
 protected:
  WorldRecordTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~WorldRecordTest() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ = absl::StrCat(::testing::TempDir(), "/ringway-record-", getpid());
};

TEST_F(WorldRecordTest, ComesBackAsItWasWritten) {
  WorldRecord record{.topology = "t.yaml",
                     .backend = "engine",
                     .controller = "127.0.0.1:1",
                     .dashboard = "127.0.0.1:2",
                     .router = "127.0.0.1:3",
                     .videos = "127.0.0.1:4"};
  record.processes.push_back({"controller", "c.log", {getpid(), 123456789012345}});
  ASSERT_TRUE(WriteRecord(folder_, record).ok());
  const auto read = ReadRecord(folder_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(RecordText(*read), RecordText(record));
  EXPECT_EQ(read->processes[0].identity, record.processes[0].identity);
}

TEST_F(WorldRecordTest, APidThatTheKernelGaveToSomebodyElseIsNotOurs) {
  WorldRecord record;
  record.processes.push_back({"controller", "", {getpid(), 1}});  // this process, but it did not start then
  EXPECT_EQ(record.RunningCount(), 0u);
  EXPECT_FALSE(runtime::SignalDetached(record.processes[0].identity, SIGTERM))
      << "or this test would be gone";
}

TEST_F(WorldRecordTest, DownWithoutAWorldSaysSo) {
  const Ran down = Ringway({"down", "--folder", folder_ + "/nothing"});
  EXPECT_EQ(down.code, kExitNo);
  EXPECT_THAT(down.err, HasSubstr("no world is up in"));
  std::ofstream(RecordFile(folder_)) << "{\"kind\": \"something else\"}";
  const Ran other = Ringway({"down", "--folder", folder_});
  EXPECT_EQ(other.code, kExitNo);
  EXPECT_THAT(other.err, HasSubstr("is no record of a world of this release"));
}

TEST_F(WorldRecordTest, UpTouchesNoFolderOfOthers) {
  std::ofstream(folder_ + "/thesis.txt") << "years of work";
  const Ran up = Ringway({"up", "--folder", folder_, "--free-ports"});
  EXPECT_EQ(up.code, kExitNo);
  EXPECT_THAT(up.err, HasSubstr("has other things in it"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/thesis.txt"));
}

}  // namespace
}  // namespace ringway::cli
