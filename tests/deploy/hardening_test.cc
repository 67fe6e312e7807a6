// The four programs as they were linked: what the compiler and the linker add against overflows is really in
// them.
//
// Every one of them takes bytes from strangers. A flag that is spelt wrong, put behind another one that
// undoes it, or lost in a merge changes nothing that any other test sees, so the files themselves are asked,
// with readelf.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/deploy/shell.h"

namespace ringway {
namespace {

using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

class HardeningTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
#ifdef RINGWAY_SANITIZED
    GTEST_SKIP() << "a build with sanitizers has their checks instead";
#endif
    if (!Installed("readelf")) GTEST_SKIP() << "no readelf here: install binutils";
  }
  std::string Asked(const std::string& what) const {
    return OutputOf("readelf -W " + what + " '" RINGWAY_BIN_DIR "/" + GetParam() + "'");
  }
};

TEST_P(HardeningTest, CannotBeRelocatedOrWrittenOver) {
  EXPECT_THAT(Asked("-h"), HasSubstr("DYN (Position-Independent Executable file)"));
  const std::string segments = Asked("-l");
  EXPECT_THAT(segments, HasSubstr("GNU_RELRO"));
  EXPECT_THAT(segments, ContainsRegex("GNU_STACK.* RW ")) << "the stack must not be executable";
  EXPECT_THAT(segments, ::testing::Not(ContainsRegex("LOAD.* RWE "))) << "writable and executable at once";
  // Without it the table of library functions stays writable, and RELRO is half of what it could be.
  EXPECT_THAT(Asked("-d"), AnyOf(HasSubstr("BIND_NOW"), ContainsRegex("FLAGS_1.*NOW")));
}

TEST_P(HardeningTest, ChecksItsStackAndItsBuffers) {
  const std::string symbols = Asked("--dyn-syms");
  EXPECT_THAT(symbols, HasSubstr("__stack_chk_fail"));
#ifdef RINGWAY_FORTIFIED
  EXPECT_THAT(symbols, ContainsRegex("__(mem|str|s?n?v?printf|read|recv)[a-z]*_chk"))
      << "FORTIFY_SOURCE is not on";
#endif
}

INSTANTIATE_TEST_SUITE_P(Programs, HardeningTest,
                         ::testing::Values("ringway", "ringway-controller", "ringway-router",
                                           "ringway-worker", "ringway-preview"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// A program is marked as a whole only where the C library's own start files are; so the mark is looked for on
// ours.
TEST(HardeningOfObjectsTest, EveryIndirectJumpLandsWhereItMay) {
#ifdef RINGWAY_SANITIZED
  GTEST_SKIP() << "a build with sanitizers has their checks instead";
#elif !defined(__x86_64__) || !defined(__CET__)
  GTEST_SKIP() << "this compiler marks no landing places here";
#else
  if (!Installed("readelf")) GTEST_SKIP() << "no readelf here: install binutils";
  int objects = 0;
  for (const auto& entry : fs::recursive_directory_iterator(RINGWAY_BUILD_DIR "/core")) {
    if (entry.path().extension() != ".o") continue;
    ++objects;
    EXPECT_THAT(OutputOf("readelf -n '" + entry.path().string() + "'"), HasSubstr("IBT, SHSTK"))
        << entry.path();
  }
  EXPECT_GT(objects, 0);
#endif
}

}  // namespace
}  // namespace ringway
