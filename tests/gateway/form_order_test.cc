// Which parts of a form are the picture, which are text, and which are refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "gateway/order_reader.h"

namespace ringway::gateway {
namespace {

using ::testing::HasSubstr;

std::string Part(const std::string& disposition, const std::string& type, const std::string& bytes) {
  return absl::StrCat("--b\r\nContent-Disposition: form-data; ", disposition, "\r\n",
                      type.empty() ? "" : absl::StrCat("Content-Type: ", type, "\r\n"), "\r\n", bytes,
                      "\r\n");
}

absl::StatusOr<VideoOrder> Read(const std::string& parts) {
  return ReadOrder("multipart/form-data; boundary=b",
                   absl::StrCat(Part("name=prompt", "", "the reeds bend"), parts, "--b--\r\n"));
}

TEST(FormOrder, ASecondFileIsRefusedByItsName) {
  const std::pair<std::string, const char*> files[] = {
      {Part("name=mask; filename=where.png", "image/png", "bytes"),
       "field 'mask' is a file ('where.png', image/png)"},
      {Part("name=mask; filename=where.txt", "text/plain", "bytes"), "field 'mask' is a file ('where.txt'"},
      {Part("name=last_frame", "image/webp", "bytes"), "field 'last_frame' is a file ('', image/webp)"}};
  for (const auto& [part, says] : files) {
    const auto order = Read(Part("name=input_reference; filename=a.png", "image/png", "a picture") + part);
    ASSERT_FALSE(order.ok()) << says;
    EXPECT_THAT(std::string(order.status().message()), HasSubstr(says));
    EXPECT_THAT(std::string(order.status().message()), HasSubstr("allowed: one file, input_reference"));
  }
}

TEST(FormOrder, TextMayStateItsType) {
  for (const char* type : {"text/plain; charset=utf-8", "application/json", ""}) {
    const auto order = Read(Part("name=seed", type, "7"));
    ASSERT_TRUE(order.ok()) << order.status();
    EXPECT_EQ(order->parameters.at("seed"), "7");
  }
}

TEST(FormOrder, APictureComesAsAFileOrAsADataUrl) {
  const auto file = Read(Part("name=input_reference; filename=a.png", "image/png", "a picture"));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->picture, "a picture");
  EXPECT_EQ(file->picture_type, "image/png");
  for (const char* name :
       {"input_reference", "\"input_reference[image_url]\"", "input_reference.image_url"}) {
    const auto text = Read(Part(absl::StrCat("name=", name), "", "data:image/png;base64,YSBwaWN0dXJl"));
    ASSERT_TRUE(text.ok()) << name << text.status();
    EXPECT_EQ(text->picture, "a picture");
    EXPECT_EQ(text->picture_type, "image/png");
  }
  const auto kept = Read(Part("name=\"input_reference[file_id]\"", "", "file-1"));
  EXPECT_THAT(std::string(kept.status().message()), HasSubstr("no files are kept here"));
}

}  // namespace
}  // namespace ringway::gateway
