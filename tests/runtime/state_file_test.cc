#include "runtime/state_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace ringway::runtime {
namespace {

class StateFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(testing::TempDir(), "/state_", getpid());
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/table.state";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Bytes() {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void SetBytes(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }

  std::string folder_, path_;
};

TEST_F(StateFileTest, Crc32cMatchesThePublishedCheckValue) { EXPECT_EQ(Crc32c("123456789"), 0xe3069283u); }

TEST_F(StateFileTest, ReadsBackWhatWasWrittenAndReplacesIt) {
  const std::string payload("binary\0payload\n", 15);
  ASSERT_TRUE(WriteStateFile(path_, "table", 2, payload).ok());
  auto state = ReadStateFile(path_, "table", 1, 2);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->payload, payload);
  EXPECT_EQ(state->version, 2u);
  ASSERT_TRUE(WriteStateFile(path_, "table", 2, "").ok());
  EXPECT_EQ(ReadStateFile(path_, "table", 1, 2)->payload, "");
}

TEST_F(StateFileTest, SaysWhyItCannotBeUsed) {
  EXPECT_EQ(ReadStateFile(path_, "table", 1, 1).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(WriteStateFile(path_, "table", 3, "x").ok());
  EXPECT_EQ(ReadStateFile(path_, "journal", 1, 3).status().code(), absl::StatusCode::kFailedPrecondition);
  const auto newer = ReadStateFile(path_, "table", 1, 2);
  EXPECT_EQ(newer.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(newer.status().message().find("version 3"), absl::string_view::npos);
  EXPECT_FALSE(WriteStateFile(folder_ + "/missing/x", "table", 1, "x").ok());
}

TEST_F(StateFileTest, EveryTruncationAndEveryFlippedByteIsNoticed) {
  ASSERT_TRUE(WriteStateFile(path_, "table", 1, "a payload of some bytes").ok());
  const std::string whole = Bytes();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    SetBytes(whole.substr(0, n));
    EXPECT_FALSE(ReadStateFile(path_, "table", 1, 1).ok()) << "truncated to " << n;
    std::string flipped = whole;
    flipped[n] = static_cast<char>(flipped[n] ^ 0x11);
    SetBytes(flipped);
    EXPECT_FALSE(ReadStateFile(path_, "table", 1, 1).ok()) << "flipped byte " << n;
  }
  SetBytes(whole + "x");
  EXPECT_FALSE(ReadStateFile(path_, "table", 1, 1).ok()) << "longer than it says";
}

}  // namespace
}  // namespace ringway::runtime
