// What is read of a picture's header, and which pictures are refused before a worker is asked.
#include "gateway/jobs/picture_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "gateway/jobs/field_error.h"
#include "gateway/jobs/picture_header.h"

namespace ringway::gateway {
namespace {

using ::testing::HasSubstr;

std::string Sample(const std::string& name) {
  std::ifstream file(absl::StrCat(RINGWAY_SOURCE_DIR, "/tests/gateway/corpus/fuzz_picture_header/", name),
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PictureHeader, SaysTypeAndSize) {
  const std::pair<const char*, const char*> whole[] = {{"png", "image/png"},
                                                       {"jpeg", "image/jpeg"},
                                                       {"webp_lossy", "image/webp"},
                                                       {"webp_lossless", "image/webp"},
                                                       {"webp_extended", "image/webp"},
                                                       {"gif", "image/gif"}};
  for (const auto& [name, type] : whole) {
    const std::string bytes = Sample(name);
    ASSERT_FALSE(bytes.empty()) << name;
    const PictureHeader header = ReadPictureHeader(bytes);
    EXPECT_EQ(header.type, type) << name;
    EXPECT_EQ(header.width, 640u) << name;
    EXPECT_EQ(header.height, 480u) << name;
  }
}

TEST(PictureHeader, OfADamagedOneTheTypeIsLeft) {
  const std::pair<const char*, const char*> damaged[] = {
      {"png_cut", "image/png"},    {"png_other_chunk", "image/png"},
      {"jpeg_cut", "image/jpeg"},  {"jpeg_scan_first", "image/jpeg"},
      {"jpeg_fill", "image/jpeg"}, {"webp_cut", "image/webp"},
      {"gif_cut", "image/gif"},    {"other", ""}};
  for (const auto& [name, type] : damaged) {
    const PictureHeader header = ReadPictureHeader(Sample(name));
    EXPECT_EQ(header.type, type) << name;
    EXPECT_EQ(header.pixels(), 0u) << name;
  }
}

const PictureTerms kAnimates = {.need = PictureNeed::kRequired,
                                .pixels_max = 640 * 480,
                                .types = {"image/png", "image/jpeg", "image/webp"}};

// The message of the refusal, behind its field; "": it is taken.
std::string Refusal(const std::string& picture, const PictureTerms& terms, int images = 0) {
  VideoOrder order;
  order.prompt = "x";
  order.images = images;
  if (!picture.empty()) {
    EXPECT_TRUE(AddPicture(order, picture, "image/png").ok());
  }
  const absl::Status checked = CheckPictures(order, terms);
  return checked.ok() ? "" : absl::StrCat(FieldOf(checked), "> ", checked.message());
}

TEST(PictureCheck, WhatTheWorkersTakeGoesOn) {
  for (const char* name : {"png", "jpeg", "webp_lossy", "webp_lossless", "webp_extended"})
    EXPECT_EQ(Refusal(Sample(name), kAnimates), "") << name;
  EXPECT_EQ(Refusal("", {.need = PictureNeed::kOptional}), "");
  EXPECT_EQ(Refusal("", {.need = PictureNeed::kNone}), "");
  for (const char* name : {"gif", "other", "png_cut"})
    EXPECT_EQ(Refusal(Sample(name), {}), "") << name << ": nobody said anything";
  EXPECT_EQ(Refusal("", {}), "");
}

TEST(PictureCheck, WhatTheyDoNotIsRefusedByItsField) {
  const std::pair<std::string, const char*> refused[] = {
      {Refusal("", kAnimates), "input_reference> input_reference is missing, and this model animates"},
      {Refusal("", kAnimates, 1), "model> model '' needs a picture"},
      {Refusal(Sample("other"), kAnimates),
       "input_reference> input_reference: this is no picture; PNG, JPEG and WebP are read"},
      {Refusal(Sample("gif"), kAnimates), "this is a GIF picture; PNG, JPEG and WebP are read"},
      {Refusal(Sample("png_cut"), kAnimates), "the header of this PNG picture is damaged"},
      {Refusal(Sample("png"), {.need = PictureNeed::kOptional, .pixels_max = 640 * 480 - 1}),
       "this picture has 640 x 480 pixels; allowed are at most 307199 together"},
      {Refusal(Sample("png"), {.need = PictureNeed::kNone}), "this model takes no picture; leave it out"}};
  for (const auto& [found, says] : refused) {
    EXPECT_THAT(found, HasSubstr(says));
  }
}

// Any worker of the tier may get the job.
TEST(PictureCheck, TermsOfSeveralWorkersAreWhatSomeOfThemTake) {
  PictureTerms joined = kAnimates;
  joined.Join({.need = PictureNeed::kNone, .pixels_max = 1'000'000, .types = {"image/gif"}});
  EXPECT_EQ(joined.need, PictureNeed::kOptional);
  EXPECT_EQ(joined.pixels_max, 1'000'000u);
  EXPECT_EQ(joined.types.size(), 4u);
  PictureTerms with_an_older_release = kAnimates;
  with_an_older_release.Join({});
  EXPECT_EQ(with_an_older_release, PictureTerms());
}

}  // namespace
}  // namespace ringway::gateway
