#include "router/daemon/story_book.h"

#include <string>

#include "gtest/gtest.h"

namespace ringway::router {
namespace {

TEST(StoryBookTest, KeepsTheNewestAndFindsThemByTheirIds) {
  StoryBook book("r", "home");
  const auto story = [](std::size_t n) {
    v1::RequestStory made;
    made.set_request_id("job-" + std::to_string(n));
    for (int i = 0; i < 100; ++i) StoryBook::Add(made, absl::Seconds(i), "offered", "w", "");
    return made;
  };
  const std::size_t count = StoryBook::kStoriesMax + 10;
  for (std::size_t n = 0; n < count; ++n) book.Keep(story(n));
  EXPECT_EQ(book.Tell("job-0").stories_size(), 0);
  EXPECT_EQ(book.Tell("job-9").stories_size(), 0);
  for (const std::size_t n : {std::size_t{10}, count / 2, count - 1}) {
    const v1::TellReply told = book.Tell("job-" + std::to_string(n));
    ASSERT_EQ(told.stories_size(), 1) << n;
    EXPECT_EQ(told.stories(0).request_id(), "job-" + std::to_string(n));
    EXPECT_EQ(told.stories(0).steps_size(), StoryBook::kStepsMax);
    EXPECT_EQ(told.stories(0).steps_left_out(), 100u - StoryBook::kStepsMax);
  }
  book.Keep(story(20));  // somebody uses an id again
  EXPECT_EQ(book.Tell("job-20").stories_size(), 2);
  EXPECT_EQ(book.totals().ended(), count + 1);
}

}  // namespace
}  // namespace ringway::router
