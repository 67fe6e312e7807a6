// Values as bytes come back exact to the bit.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/time.h"
#include "journal/bytes.h"

namespace ringway::journal {
namespace {

TEST(BytesTest, NumbersTimesAndNamesComeBack) {
  std::string bytes;
  Writer writer(bytes);
  const Time odd = FromUnixSeconds(-3) + Nanoseconds(1);
  const std::vector<Time> times = {odd, InfinitePast(), InfiniteFuture(), UnixEpoch(),
                                   FromUnixNanos(1'234'567'890'123'456'789)};
  const std::vector<std::int64_t> numbers = {0, -1, 1, std::numeric_limits<std::int64_t>::min(),
                                             std::numeric_limits<std::int64_t>::max()};
  const std::vector<WorkerId> workers = {WorkerId(), WorkerId(0), WorkerId(77)};
  writer.Put(times);
  writer.Put(numbers);
  writer.Put(workers);
  writer.Put(-0.1);
  std::deque<std::string> words;
  Reader reader(bytes, words);
  std::vector<Time> times_back;
  std::vector<std::int64_t> numbers_back;
  std::vector<WorkerId> workers_back;
  double real = 0;
  reader.Take(times_back);
  reader.Take(numbers_back);
  reader.Take(workers_back);
  reader.Take(real);
  EXPECT_TRUE(reader.ok() && reader.empty());
  EXPECT_EQ(times_back, times);
  EXPECT_EQ(numbers_back, numbers);
  EXPECT_EQ(workers_back, workers);
  EXPECT_EQ(real, -0.1);
}

}  // namespace
}  // namespace ringway::journal
