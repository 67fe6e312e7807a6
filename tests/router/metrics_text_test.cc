#include "router/daemon/operations/metrics_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/rng.h"

namespace ringway::router {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ReadMetrics, AddsUpTheSeriesOfAName) {
  const char* page =
      "# HELP gpu_memory_used bytes\n"
      "# TYPE gpu_memory_used gauge\n"
      "gpu_memory_used{gpu=\"0\"} 10\n"
      "gpu_memory_used{gpu=\"1\",note=\"a } and \\\" inside\"} 2.5 1700000000000\n"
      "gpu_memory_used_total 99\n"
      "other 7\n"
      "queue_depth 3e0";
  EXPECT_THAT(ReadMetrics(page, {"gpu_memory_used", "queue_depth", "absent"}),
              ElementsAre(Pair("gpu_memory_used", 12.5), Pair("queue_depth", 3)));
}

TEST(ReadMetrics, SkipsWhatIsNotANumber) {
  EXPECT_THAT(ReadMetrics("a NaN\na +Inf\na\na{\na{} x\n\n a 1\n", {"a"}), IsEmpty());
  EXPECT_THAT(ReadMetrics("", {"a"}), IsEmpty());
}

TEST(ReadMetrics, AnyBytesAreSurvived) {
  Rng rng(9);
  const std::string alphabet = "a{}\"\\= #1.\nN,";
  for (int i = 0; i < 20000; ++i) {
    std::string page(rng.Below(40), ' ');
    for (char& c : page) c = alphabet[rng.Below(alphabet.size())];
    for (const auto& [name, value] : ReadMetrics(page, {"a", "a1"})) EXPECT_TRUE(name == "a" || name == "a1");
  }
}

}  // namespace
}  // namespace ringway::router
