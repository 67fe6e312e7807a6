#include "runtime/port_file.h"

#include <fstream>

#include "gtest/gtest.h"

namespace ringway::runtime {
namespace {

TEST(PortFileTest, ReadsWhatItWrites) {
  const std::string path = ::testing::TempDir() + "ringway_port_file_test";
  const Ports ports{{"grpc", "127.0.0.1:40123"}, {"http", "[::1]:40124"}};
  ASSERT_TRUE(WritePortFile(path, ports).ok());
  const auto read = ReadPortFile(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, ports);
}

TEST(PortFileTest, NothingThereYetIsNotDamage) {
  EXPECT_EQ(ReadPortFile("/nonexistent/ports").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(WritePortFile("/nonexistent/ports", {}).code(), absl::StatusCode::kInternal);
}

TEST(PortFileTest, RefusesWhatIsNotAPortFile) {
  const std::string path = ::testing::TempDir() + "ringway_port_file_test_broken";
  for (const char* text : {"", "\n", "grpc localhost\n", "grpc 127.0.0.1:99999\n"}) {
    std::ofstream(path) << text;
    EXPECT_EQ(ReadPortFile(path).status().code(), absl::StatusCode::kDataLoss) << text;
  }
}

}  // namespace
}  // namespace ringway::runtime
