// Which parts of a form are the picture, which are text, and which are refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "gateway/jobs/field_error.h"
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

absl::StatusOr<VideoOrder> ReadImage(ImageCallKind kind, const std::string& parts) {
  return ReadImageOrder(kind, "multipart/form-data; boundary=b", absl::StrCat(parts, "--b--\r\n"));
}

// As the clients of OpenAI (no type), HttpClient of .NET (text/plain; charset=utf-8) and curl -F with type=
// send them.
TEST(FormOrder, TextOfTheImagesApiMayStateItsType) {
  const std::string file = Part("name=\"image\"; filename=\"a.png\"", "image/png", "a picture");
  for (const char* type : {"", "text/plain", "text/plain; charset=utf-8", "application/json"}) {
    const auto order = ReadImage(
        ImageCallKind::kEdit,
        absl::StrCat(Part("name=prompt", type, "a boat"), file, Part("name=n", type, "3"),
                     Part("name=size", type, "512x768"), Part("name=quality", type, "auto"),
                     Part("name=response_format", type, "b64_json"), Part("name=user", type, "me"),
                     Part("name=output_format", type, "png"), Part("name=background", type, "auto"),
                     Part("name=output_compression", type, "100"), Part("name=stream", type, "false"),
                     Part("name=moderation", type, "auto"), Part("name=partial_images", type, "0"),
                     Part("name=model", type, "draw"), Part("name=seed", type, "7")));
    ASSERT_TRUE(order.ok()) << type << ": " << order.status();
    EXPECT_EQ(order->images, 3) << type;
    EXPECT_EQ(order->prompt, "a boat");
    EXPECT_EQ(order->model, "draw");
    EXPECT_EQ(order->picture, "a picture");
    // What asks for nothing and what labels an account go no further.
    const std::map<std::string, std::string> handed_on = {{"seed", "7"}, {"size", "512x768"}};
    EXPECT_EQ(order->parameters, handed_on) << type;
  }
}

TEST(FormOrder, TextOfTheImagesApiIsRefusedByName) {
  const std::pair<const char*, const char*> wrong[] = {{"n", "0"},
                                                       {"size", "large"},
                                                       {"quality", "hd"},
                                                       {"response_format", "url"},
                                                       {"style", "vivid"},
                                                       {"output_format", "webp"},
                                                       {"stream", "true"},
                                                       {"background", "transparent"},
                                                       {"moderation", "low"},
                                                       {"partial_images", "2"},
                                                       {"output_compression", "50"},
                                                       {"input_fidelity", "high"},
                                                       {"seed", "-1"},
                                                       {"mask", "*"},
                                                       {"webhook_url", "http://h/"}};
  for (const char* type : {"", "text/plain"}) {
    for (const auto& [name, value] : wrong) {
      const bool file = std::string_view(name) == "mask" && *type != 0;  // what states a type is a file here
      if (file) continue;
      const auto order =
          ReadImage(ImageCallKind::kEdit, absl::StrCat(Part("name=prompt", type, "a boat"),
                                                       Part("name=image; filename=a.png", "", "a picture"),
                                                       Part(absl::StrCat("name=", name), type, value)));
      ASSERT_FALSE(order.ok()) << name;
      EXPECT_EQ(FieldOf(order.status()), name);
      EXPECT_THAT(std::string(order.status().message()), HasSubstr(name));
    }
  }
}

// ---- param of the errors ----

struct Refused {
  const char* field;
  const char* body;
};

TEST(FormOrder, EveryWrongFieldOfAVideoIsNamed) {
  const Refused refused[] = {{"body", "{"},
                             {"body", "[]"},
                             {"prompt", "{}"},
                             {"prompt", R"({"prompt":["x"]})"},
                             {"size", R"({"prompt":"x","size":"large"})"},
                             {"size", R"({"prompt":"x","size":"99999x2"})"},
                             {"seconds", R"({"prompt":"x","seconds":0})"},
                             {"frames", R"({"prompt":"x","frames":1.5})"},
                             {"num_frames", R"({"prompt":"x","num_frames":-1})"},
                             {"steps", R"({"prompt":"x","steps":"many"})"},
                             {"num_inference_steps", R"({"prompt":"x","num_inference_steps":0})"},
                             {"fps", R"({"prompt":"x","fps":"fast"})"},
                             {"model", R"({"prompt":"x","model":""})"},
                             {"deadline_s", R"({"prompt":"x","deadline_s":-1})"},
                             {"colour", R"({"prompt":"x","colour":{"red":1}})"},
                             {"input_reference", R"({"prompt":"x","input_reference":{"file_id":"f"}})"},
                             {"input_reference", R"({"prompt":"x","input_reference":"https://h/a.png"})"},
                             {"input_reference", R"({"prompt":"x","input_reference":"data:,x"})"},
                             {"input_reference", R"({"prompt":"x","input_reference":"*"})"},
                             {"input_reference", R"({"prompt":"x","input_reference":""})"}};
  for (const auto& [field, body] : refused) {
    const auto order = ReadOrder("application/json", body);
    ASSERT_FALSE(order.ok()) << body;
    EXPECT_EQ(FieldOf(order.status()), field) << body;
  }
  EXPECT_EQ(FieldOf(ReadOrder("text/plain", "x").status()), "Content-Type");
  const std::pair<std::string, const char*> forms[] = {
      {Part("name=mask; filename=a.png", "image/png", "b"), "mask"},
      {Part("name=input_reference; filename=a.png", "image/png", ""), "input_reference"},
      {Part("name=\"input_reference[file_id]\"", "", "f"), "input_reference"},
      {Part("name=\"input_reference[image_url]\"", "", "http://h/"), "input_reference"},
      {Part("name=seed", "", "\xff"), "seed"},
      {Part("name=seed", "", std::string(kFieldBytesMax + 1, '1')), "seed"},
      {"--b\r\nno colon\r\n\r\n\r\n", "body"}};
  for (const auto& [part, field] : forms)
    EXPECT_EQ(FieldOf(Read(part).status()), field) << part.substr(0, 200);
  std::string many;
  for (std::size_t i = 0; i <= kFieldsMax; ++i)
    absl::StrAppend(&many, Part(absl::StrCat("name=f", i), "", "1"));
  EXPECT_EQ(FieldOf(Read(many).status()), absl::StrCat("f", kFieldsMax));
}

TEST(FormOrder, EveryWrongFieldOfAnImageIsNamed) {
  using Kind = ImageCallKind;
  const std::tuple<Kind, const char*, const char*> refused[] = {
      {Kind::kGeneration, "prompt", "{}"},
      {Kind::kGeneration, "image", R"({"prompt":"x","image":"QQ=="})"},
      {Kind::kGeneration, "pictures", R"({"prompt":"x","pictures":"image=1"})"},
      {Kind::kGeneration, "control_image", R"({"prompt":"x","control_image":"http://h/"})"},
      {Kind::kEdit, "image", R"({"prompt":"x"})"},
      {Kind::kEdit, "image", R"({"prompt":"x","image":["QQ==","QQ=="]})"},
      {Kind::kEdit, "mask", R"({"prompt":"x","image":"QQ==","mask":""})"},
      {Kind::kEdit, "lora", R"({"prompt":"x","image":"QQ==","lora":[1]})"},
      {Kind::kVariation, "prompt", R"({"prompt":"x","image":"QQ=="})"},
      {Kind::kVariation, "mask", R"({"image":"QQ==","mask":"QQ=="})"}};
  for (const auto& [kind, field, body] : refused) {
    const auto order = ReadImageOrder(kind, "application/json", body);
    ASSERT_FALSE(order.ok()) << body;
    EXPECT_EQ(FieldOf(order.status()), field) << body;
  }
  const std::string image = Part("name=\"image[]\"; filename=a.png", "image/png", "A");
  EXPECT_EQ(FieldOf(ReadImage(Kind::kEdit, image + image).status()), "image");
  EXPECT_EQ(FieldOf(ReadImageOrder(Kind::kEdit, "text/plain", "x").status()), "Content-Type");
}

// Whoever refuses further on says so in words.
TEST(FormOrder, AWorkersWordsNameTheField) {
  const std::pair<const char*, const char*> said[] = {
      {"unknown setting \"colour\"; allowed: seed", "colour"},
      {"steps is \"0\"; allowed: a whole number from 1 to 1000", "steps"},
      {"mask: PNG: it is cut off", "mask"},
      {"lora \"home\" is not registered here", "lora"},
      {"strength is given, but no image to start from", "strength"},
      {"JobHeader.model: is 'sora-9'; the workers have: wan", "model"},
      {"this picture is too large", ""},
      {"A film is not a picture", ""},
      {"", ""}};
  for (const auto& [message, field] : said) EXPECT_EQ(FieldNamedBy(message), field) << message;
}

}  // namespace
}  // namespace ringway::gateway
