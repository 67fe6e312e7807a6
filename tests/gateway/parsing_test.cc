// What clients write: ids, ranges, forms, paths, orders.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "core/rng.h"
#include "gateway/jobs/byte_range.h"
#include "gateway/jobs/film_type.h"
#include "gateway/jobs/multipart.h"
#include "gateway/jobs/route.h"
#include "gateway/jobs/video_id.h"
#include "gateway/jobs/video_order.h"
#include "gateway/jobs/webhook_url.h"

namespace ringway::gateway {
namespace {

TEST(VideoIdTest, TextAndBackForAnyOwner) {
  Rng rng(1);
  for (int i = 0; i < 5000; ++i) {
    VideoId id{.created_s = static_cast<std::int64_t>(rng.Below(1ull << 32)), .draw = rng.Below(1ull << 48)};
    for (std::uint64_t n = 1 + rng.Below(20); n > 0; --n) id.owner += static_cast<char>(rng.Below(256));
    const std::string text = id.Text();
    for (const char c : text) {
      EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' || c == '~')
          << text;
    }
    EXPECT_EQ(ParseVideoId(text), id) << text;
  }
}

TEST(VideoIdTest, IdsSortByTheSecondInWhichTheyWereMade) {
  const std::string early = VideoId{.created_s = 1'700'000'000, .draw = ~0ull >> 16, .owner = "z"}.Text();
  const std::string late = VideoId{.created_s = 1'700'000'001, .draw = 0, .owner = "a"}.Text();
  EXPECT_LT(early, late);
}

// A wrong letter is no question to another router.
TEST(VideoIdTest, OneWrongLetterIsNoId) {
  const std::string text = VideoId{.created_s = 1'700'000'000, .draw = 12345, .owner = "eu-1"}.Text();
  int passed = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : std::string("07afZ_~.")) {
      std::string other = text;
      other[i] = c;
      if (other != text && ParseVideoId(other)) ++passed;
    }
    EXPECT_FALSE(ParseVideoId(text.substr(0, i))) << i;
  }
  EXPECT_EQ(passed, 0);
  EXPECT_FALSE(ParseVideoId("../../etc/passwd"));
  EXPECT_FALSE(ParseVideoId(text + "/x"));
}

struct RangeCase {
  const char* field;
  std::uint64_t size;
  ByteRange::Kind kind;
  std::uint64_t first, count;
};

TEST(ByteRangeTest, Table) {
  using Kind = ByteRange::Kind;
  const RangeCase cases[] = {
      {"", 10, Kind::kWhole, 0, 10},
      {"bytes=0-0", 10, Kind::kPart, 0, 1},
      {"bytes=2-5", 10, Kind::kPart, 2, 4},
      {"bytes=2-", 10, Kind::kPart, 2, 8},
      {"bytes=-3", 10, Kind::kPart, 7, 3},
      {"bytes=-30", 10, Kind::kPart, 0, 10},
      {"bytes=5-99999999999999999999", 10, Kind::kWhole, 0, 10},  // no number: ignored
      {"bytes=5-9999", 10, Kind::kPart, 5, 5},
      {"bytes=10-", 10, Kind::kUnsatisfiable, 0, 0},
      {"bytes=10-20", 10, Kind::kUnsatisfiable, 0, 0},
      {"bytes=-0", 10, Kind::kUnsatisfiable, 0, 0},
      {"bytes=0-", 0, Kind::kUnsatisfiable, 0, 0},
      {"bytes=5-2", 10, Kind::kWhole, 0, 10},
      {"bytes=0-1,4-5", 10, Kind::kWhole, 0, 10},
      {"bytes=a-b", 10, Kind::kWhole, 0, 10},
      {"bytes=-", 10, Kind::kWhole, 0, 10},
      {"seconds=0-1", 10, Kind::kWhole, 0, 10},
  };
  for (const RangeCase& c : cases) {
    const ByteRange range = ReadRange(c.field, c.size);
    EXPECT_EQ(range.kind, c.kind) << c.field;
    EXPECT_EQ(range.first, c.first) << c.field;
    EXPECT_EQ(range.count, c.count) << c.field;
  }
}

std::string Form(const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string body;
  for (const auto& [head, bytes] : parts) absl::StrAppend(&body, "--B\r\n", head, "\r\n\r\n", bytes, "\r\n");
  return body + "--B--\r\n";
}

TEST(MultipartTest, PartsAreViewsOfTheBody) {
  const std::string picture("\x89PNG\r\n--A-not-it\r\n\0x", 21);
  const std::string body =
      Form({{"Content-Disposition: form-data; name=\"prompt\"", "a \"boat\""},
            {"content-disposition: form-data; name=\"input_reference\"; filename=\"a\\\"b.png\""
             "\r\nContent-Type: image/png",
             picture}});
  const auto parts = ReadForm(body, "B");
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ((*parts)[0].name, "prompt");
  EXPECT_EQ((*parts)[0].bytes, "a \"boat\"");
  EXPECT_EQ((*parts)[1].file_name, "a\"b.png");
  EXPECT_EQ((*parts)[1].content_type, "image/png");
}

TEST(MultipartTest, WhatTwoReadersCouldReadDifferentlyIsRefused) {
  const std::string named = "Content-Disposition: form-data; name=\"a\"";
  const std::string broken[] = {
      "",
      "--B",
      "--B\r\n",
      "--B\n" + named + "\n\nx\n--B--\n",
      "preamble\r\n" + Form({{named, "x"}}),
      "--B\r\n" + named + "\r\n\r\nx",
      Form({{"Content-Type: text/plain", "x"}}),
      Form({{named + "\r\n" + named, "x"}}),
      Form({{"Content-Disposition: attachment; name=\"a\"", "x"}}),
      Form({{"Content-Disposition: form-data; name=\"a", "x"}}),
      Form({{"Content-Disposition: form-data", "x"}}),
      Form({{named + "\r\nX: " + std::string(kPartHeadBytesMax, 'x'), "x"}}),
      Form(std::vector<std::pair<std::string, std::string>>(kPartsMax + 1, {named, "x"})),
  };
  for (const std::string& body : broken) EXPECT_FALSE(ReadForm(body, "B").ok()) << body.substr(0, 80);
}

TEST(MultipartTest, BoundaryOfAContentType) {
  EXPECT_EQ(BoundaryOf("multipart/form-data; boundary=abc"), "abc");
  EXPECT_EQ(BoundaryOf("Multipart/Form-Data; charset=x; Boundary=\"a b\""), "a b");
  EXPECT_EQ(BoundaryOf("multipart/form-data"), "");
  EXPECT_EQ(BoundaryOf("multipart/mixed; boundary=abc"), "");
  EXPECT_EQ(BoundaryOf("multipart/form-data; boundary=" + std::string(71, 'a')), "");
}

TEST(RouteTest, EveryRouteIsFoundByItsMethodAndNoOther) {
  for (const ServedRoute& served : ServedRoutes()) {
    std::string path(served.path);
    if (const auto at = path.find("{id}"); at != std::string::npos) path.replace(at, 4, "video_1");
    EXPECT_EQ(ReadRoute(served.method, path).kind, served.kind) << path;
    EXPECT_EQ(ReadRoute("PATCH", path).kind, Route::Kind::kOtherMethod) << path;
    EXPECT_NE(ReadRoute("PATCH", path).allow.find(served.method), std::string::npos) << path;
    const bool has_members = path == "/v1/videos" || path == "/v1/models";
    EXPECT_EQ(ReadRoute(served.method, path + "/x").kind == Route::Kind::kUnknown, !has_members) << path;
  }
  EXPECT_EQ(ReadRoute("GET", "/v1/videos/").kind, Route::Kind::kUnknown);
  EXPECT_EQ(ReadRoute("GET", "/v1/videos//content").kind, Route::Kind::kUnknown);
  EXPECT_EQ(ReadRoute("GET", "/").kind, Route::Kind::kUnknown);
  EXPECT_EQ(ReadRoute("HEAD", "/v1/models").kind, Route::Kind::kModels);
  EXPECT_EQ(ReadRoute("GET", "/v1/videos/sync").kind, Route::Kind::kOtherMethod);
}

TEST(RouteTest, QueriesAndEscapes) {
  const Route route = ReadRoute("GET", "/v1/videos?limit=5&after=a%7Eb&x&=y&order=asc");
  EXPECT_EQ(route.query.at("limit"), "5");
  EXPECT_EQ(route.query.at("after"), "a~b");
  EXPECT_EQ(route.query.at("x"), "");
  EXPECT_EQ(ReadRoute("GET", "/v1/videos/a%7e%zz%").id, "a~%zz%");
}

VideoOrder OrderOf(const std::vector<std::pair<std::string, std::string>>& fields) {
  VideoOrder order;
  for (const auto& [name, value] : fields) EXPECT_TRUE(AddField(order, name, value).ok()) << name;
  EXPECT_TRUE(Complete(order).ok());
  return order;
}

TEST(VideoOrderTest, CostHintsComeFromWhatIsSaid) {
  const VideoOrder order = OrderOf({{"prompt", "x"},
                                    {"size", "1280x720"},
                                    {"seconds", "4"},
                                    {"fps", "12"},
                                    {"num_inference_steps", "8"},
                                    {"guidance_scale", "3.5"}});
  EXPECT_EQ(order.pixels, 1280u * 720u);
  EXPECT_EQ(order.frames, 48u);
  EXPECT_EQ(order.steps, 8u);
  EXPECT_EQ(order.parameters.at("guidance_scale"), "3.5");
  EXPECT_EQ(OrderOf({{"prompt", "x"}, {"seconds", "4"}, {"num_frames", "33"}}).frames, 33u);
}

TEST(VideoOrderTest, WidthAndHeightAreASize) {
  const VideoOrder order = OrderOf({{"prompt", "x"}, {"width", "1280"}, {"height", "720"}});
  EXPECT_EQ(order.size, "1280x720");
  EXPECT_EQ(order.pixels, 1280u * 720);
  EXPECT_EQ(order.parameters.at("width"), "1280") << "what stands behind the worker may want them";
  EXPECT_EQ(OrderOf({{"prompt", "x"}, {"width", "1280"}}).size, "");
  EXPECT_EQ(OrderOf({{"prompt", "x"}, {"width", "1"}, {"height", "1"}, {"size", "64x48"}}).size, "64x48");
}

TEST(VideoOrderTest, WrongFieldsAreNamed) {
  const std::pair<const char*, const char*> wrong[] = {
      {"size", "big"},          {"size", "0x5"},     {"size", "99999x5"}, {"seconds", "-1"},
      {"seconds", "inf"},       {"seconds", "nan"},  {"frames", "1.5"},   {"fps", "0"},
      {"steps", "many"},        {"deadline_s", "0"}, {"prompt", "\xff"},  {"\xc3\x28", "x"},
      {"model", "\xed\xa0\x80"}};
  for (const auto& [name, value] : wrong) {
    VideoOrder order;
    absl::Status status = AddField(order, "prompt", "p");
    if (status.ok()) status = AddField(order, name, value);
    if (status.ok()) status = Complete(order);
    EXPECT_FALSE(status.ok()) << name << "=" << value;
    if (std::isalpha(static_cast<unsigned char>(name[0]))) {
      EXPECT_NE(status.message().find(name), absl::string_view::npos) << status;
    }
  }
  VideoOrder nothing;
  EXPECT_FALSE(Complete(nothing).ok());
  VideoOrder many;
  absl::Status last;
  for (std::size_t i = 0; i <= kFieldsMax; ++i) last = AddField(many, absl::StrCat("f", i), "1");
  EXPECT_FALSE(last.ok());
  EXPECT_FALSE(AddField(many, "prompt", std::string(kPromptBytesMax + 1, 'x')).ok());
}

TEST(VideoOrderTest, PicturesComeAsBytesOrAsTextAndAreNeverFetched) {
  VideoOrder order;
  ASSERT_TRUE(AddField(order, "input_reference", "data:image/png;base64,aGVsbG8=").ok());
  EXPECT_EQ(order.picture, "hello");
  EXPECT_EQ(order.picture_type, "image/png");
  EXPECT_FALSE(AddPicture(order, "again", "image/png").ok());
  for (const char* text :
       {"http://10.0.0.1/secret", "https://x", "file:///etc/passwd", "data:image/png,hello", "!!"}) {
    VideoOrder other;
    EXPECT_FALSE(AddPictureText(other, text).ok()) << text;
  }
}

TEST(VideoOrderTest, AFormMayNestThePictureInTheNameOfItsField) {
  for (const char* name : {"input_reference[image_url]", "input_reference.image_url"}) {
    VideoOrder order;
    ASSERT_TRUE(AddField(order, name, "data:image/png;base64," + std::string(8000, 'A')).ok()) << name;
    EXPECT_EQ(order.picture.size(), 6000u);
    EXPECT_FALSE(AddField(order, name, "https://example.com/a.png").ok());
  }
}

TEST(VideoOrderTest, ThePicturesTypeTravelsInHeaders) {
  VideoOrder order;
  EXPECT_FALSE(AddPicture(order, "bytes", "image/png\r\nX: y").ok());
  EXPECT_FALSE(AddPicture(order, "bytes", "image/\xc3\xa9").ok());
}

TEST(VideoOrderTest, AnEmptyModelIsNone) {
  VideoOrder order;
  const absl::Status status = AddField(order, "model", "");
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("model is ''"), absl::string_view::npos) << status;
}

TEST(FilmTypeTest, OnlyFilmsAndPicturesAreShown) {
  EXPECT_EQ(FilmTypeOf("video/mp4").type, "video/mp4");
  EXPECT_EQ(FilmTypeOf("Video/MP4; codecs=\"avc1\"").type, "video/mp4");
  EXPECT_EQ(FilmTypeOf("image/gif").disposition, "inline");
  for (const char* said : {"", "text/html", "image/svg+xml", "video/mp4\r\nSet-Cookie: evil=1", "video/mp4x",
                           "application/octet-stream"}) {
    EXPECT_EQ(FilmTypeOf(said).type, "application/octet-stream") << said;
    EXPECT_EQ(FilmTypeOf(said).disposition, "attachment") << said;
  }
}

TEST(VideoOrderTest, FingerprintsTellRequestsApart) {
  const VideoOrder order = OrderOf({{"prompt", "x"}, {"seed", "1"}});
  EXPECT_EQ(order.Fingerprint(), OrderOf({{"seed", "1"}, {"prompt", "x"}}).Fingerprint());
  EXPECT_NE(order.Fingerprint(), OrderOf({{"prompt", "x"}, {"seed", "2"}}).Fingerprint());
  EXPECT_NE(order.Fingerprint(), OrderOf({{"prompt", "x1"}, {"seed", ""}}).Fingerprint());
}

TEST(WebhookUrlTest, OnlyWhatCanBeCalled) {
  const auto url = ParseWebhookUrl("http://hooks.example:8080/a?b=c");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->Authority(), "hooks.example:8080");
  EXPECT_EQ(url->target, "/a?b=c");
  EXPECT_EQ(ParseWebhookUrl("http://h")->Authority(), "h:80");
  EXPECT_EQ(ParseWebhookUrl("http://h?x")->target, "/?x");
  for (const char* text : {"https://h/", "http://", "http://:80/", "http://u@h/", "http://h/\r\nX: y",
                           "http://h:x/", "http://h:/", "http://h/#f", "ftp://h/", "http://h:123456/"}) {
    EXPECT_FALSE(ParseWebhookUrl(text)) << text;
  }
}

}  // namespace
}  // namespace ringway::gateway
