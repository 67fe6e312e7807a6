// What a router writes of a video comes back as it was, and a record of an earlier release is still read.
#include "gateway/record_codec.h"

#include <gtest/gtest.h>

#include "gateway/jobs/video_id.h"
#include "ringway/v1/videos.pb.h"

namespace ringway::gateway {
namespace {

Video Failed() {
  Video video;
  video.id = VideoId{.created_s = 1'700'000'000, .draw = 7, .owner = "lima-0"}.Text();
  video.state = State::kFailed;
  video.fault = {.code = "invalid_request", .message = "steps is 0", .field = "steps"};
  return video;
}

TEST(RecordCodec, AFaultComesBackWithItsField) {
  const auto read = DecodeVideo(EncodeVideo(Failed()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->fault.code, "invalid_request");
  EXPECT_EQ(read->fault.message, "steps is 0");
  EXPECT_EQ(read->fault.field, "steps");
}

TEST(RecordCodec, ARecordThatNamesNoFieldIsRead) {
  v1::VideoRecord record;
  ASSERT_TRUE(record.ParseFromString(EncodeVideo(Failed())));
  record.clear_fault_field();  // no release before wrote it
  const auto read = DecodeVideo(record.SerializeAsString());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->fault.message, "steps is 0");
  EXPECT_EQ(read->fault.field, "");
}

}  // namespace
}  // namespace ringway::gateway
