// What is read from the fields of a call to the images API, and what is refused.
#include "gateway/jobs/image_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringway::gateway {
namespace {

using ::testing::HasSubstr;
using Kind = ImageCallKind;

TEST(ImageOrder, OnePictureIsThePayloadAsItIs) {
  ImageOrderReader reader(Kind::kEdit);
  ASSERT_TRUE(reader.Add("prompt", "a boat").ok());
  ASSERT_TRUE(reader.AddFile("image", "PIXELS", "image/webp").ok());
  const auto order = reader.Finish();
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(order->picture, "PIXELS");
  EXPECT_EQ(order->picture_type, "image/webp");
  EXPECT_FALSE(order->parameters.contains("pictures"));
  EXPECT_EQ(order->images, 1);
}

TEST(ImageOrder, SeveralPicturesFollowEachOtherAndAreListed) {
  ImageOrderReader reader(Kind::kEdit);
  ASSERT_TRUE(reader.Add("prompt", "a boat").ok());
  ASSERT_TRUE(reader.AddFile("mask", "MASK", "image/png").ok());
  ASSERT_TRUE(reader.AddFile("control_image", "EDGES", "").ok());
  ASSERT_TRUE(reader.Add("image", "data:image/png;base64,UElYRUxT").ok());
  const auto order = reader.Finish();
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(order->picture, "PIXELSMASKEDGES");
  EXPECT_EQ(order->parameters.at("pictures"), "image=6,mask=4,control=5");
}

TEST(ImageOrder, AControlPictureAloneIsNoImage) {
  ImageOrderReader reader(Kind::kGeneration);
  ASSERT_TRUE(reader.Add("prompt", "a boat").ok());
  ASSERT_TRUE(reader.AddFile("control_image", "EDGES", "image/png").ok());
  EXPECT_EQ(reader.Finish()->parameters.at("pictures"), "control=5");
}

TEST(ImageOrder, EveryDifferenceIsAnotherRequest) {
  const auto fingerprint = [](Kind kind, const char* name, const char* value) {
    ImageOrderReader reader(kind);
    EXPECT_TRUE(reader.Add("prompt", "a boat").ok());
    if (kind != Kind::kGeneration) {
      EXPECT_TRUE(reader.AddFile("image", "P", "").ok());
    }
    EXPECT_TRUE(reader.Add(name, value).ok());
    return reader.Finish()->fingerprint;
  };
  std::set<std::uint64_t> seen;
  seen.insert(fingerprint(Kind::kGeneration, "n", "1"));
  seen.insert(fingerprint(Kind::kGeneration, "n", "2"));
  seen.insert(fingerprint(Kind::kGeneration, "seed", "1"));
  seen.insert(fingerprint(Kind::kEdit, "n", "1"));
  seen.insert(fingerprint(Kind::kEdit, "mask", "data:image/png;base64,QQ=="));
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_EQ(fingerprint(Kind::kGeneration, "user", "me"),
            *seen.find(fingerprint(Kind::kGeneration, "n", "1")));
  EXPECT_EQ(fingerprint(Kind::kGeneration, "size", "auto"), fingerprint(Kind::kGeneration, "n", "1"));
}

TEST(ImageOrder, SaysWhatIsWrong) {
  const auto refusal = [](Kind kind, std::string_view name, std::string_view value) {
    ImageOrderReader reader(kind);
    const absl::Status added = reader.Add(name, value);
    return std::string(added.message());
  };
  EXPECT_THAT(refusal(Kind::kGeneration, "n", "0"),
              HasSubstr("n is '0'; allowed: a whole number from 1 to 10"));
  EXPECT_THAT(refusal(Kind::kEdit, "image", "http://h/p.png"), HasSubstr("nothing is fetched"));
  EXPECT_THAT(refusal(Kind::kEdit, "mask", "*"), HasSubstr("mask is '*'; allowed: a picture as base64"));
  EXPECT_THAT(refusal(Kind::kVariation, "mask", "QQ=="), HasSubstr("'mask' is not one of this call"));
  EXPECT_THAT(refusal(Kind::kGeneration, "background", "transparent"),
              HasSubstr("background is 'transparent'; allowed: auto"));
  ImageOrderReader twice(Kind::kEdit);
  ASSERT_TRUE(twice.AddFile("image[]", "A", "").ok());
  EXPECT_THAT(twice.AddFile("image[]", "B", "").message(), HasSubstr("given twice; one picture is taken"));
  EXPECT_THAT(twice.AddFile("image\n", "B", "").message(), HasSubstr("is a file; allowed here: image, mask"));
  EXPECT_THAT(twice.AddFile("mask", "B", "a\nb").message(), HasSubstr("not printable ASCII"));
}

}  // namespace
}  // namespace ringway::gateway
