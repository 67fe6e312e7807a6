// The JSON reader on damaged copies of valid text; what it reads is tested beside it, in tests/core.
#include <gtest/gtest.h>

#include "tests/engine/fuzz/targets.h"
#include "tests/engine/mutation.h"

namespace ringway::engine {
namespace {

TEST(Json, SurvivesDamagedText) {
  const std::string valid =
      R"({"a":[1,2.5e-3,"\u00e9\ud83d\ude00"],"b":{"c":null,"d":true},"weight_map":{"x.weight":"m-1.safetensors"}})";
  ASSERT_TRUE(FuzzJson(valid));
  int refused = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) refused += FuzzJson(Mutated(valid, i)) ? 0 : 1;
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace ringway::engine
