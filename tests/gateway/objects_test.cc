// S3 over HTTP: signatures as published, what servers answer, where a store is and who asks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "gateway/jobs/video_id.h"
#include "gateway/objects/s3_answers.h"
#include "gateway/objects/s3_settings.h"
#include "gateway/objects/sigv4.h"
#include "gateway/objects/xml_text.h"
#include "gateway/record_codec.h"

namespace ringway::gateway::objects {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kEmpty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// The four examples of the Amazon S3 API Reference, "Signature Calculations for the Authorization Header:
// Transferring Payload in a Single Chunk".
class PublishedTest : public ::testing::Test {
 protected:
  static std::string Signature(SignedRequest request) {
    const Credentials credentials{.key_id = "AKIAIOSFODNN7EXAMPLE",
                                  .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
    request.fields["host"] = "examplebucket.s3.amazonaws.com";
    request.fields["x-amz-content-sha256"] = request.body_sha256;
    request.fields["x-amz-date"] = "20130524T000000Z";
    return Authorization(request, credentials, "us-east-1", FromUnixSeconds(1369353600));
  }
};

TEST_F(PublishedTest, GetWithARange) {
  EXPECT_EQ(
      Signature(
          {.method = "GET", .path = "/test.txt", .fields = {{"range", "bytes=0-9"}}, .body_sha256 = kEmpty}),
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
      "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
      "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST_F(PublishedTest, PutWithCharactersThatAreEncoded) {
  EXPECT_THAT(Signature({.method = "PUT",
                         .path = "/test$file.text",
                         .fields = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                                    {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                         .body_sha256 = Sha256::Of("Welcome to Amazon S3.")}),
              HasSubstr("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST_F(PublishedTest, AQueryWithoutAValue) {
  EXPECT_THAT(Signature({.method = "GET", .path = "/", .query = {{"lifecycle", ""}}, .body_sha256 = kEmpty}),
              HasSubstr("Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST_F(PublishedTest, AListOfKeys) {
  EXPECT_THAT(Signature({.method = "GET",
                         .path = "/",
                         .query = {{"prefix", "J"}, {"max-keys", "2"}},
                         .body_sha256 = kEmpty}),
              HasSubstr("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(Sha256Test, PiecesAreTheWhole) {
  Sha256 sum;
  sum.Add("Welcome to ");
  sum.Add("Amazon S3.");
  EXPECT_EQ(sum.Hex(), "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
  EXPECT_EQ(Sha256::Of(""), kEmpty);
}

TEST(XmlTextTest, ElementsInTheirOrder) {
  const auto elements =
      ReadXml("<?xml version=\"1.0\"?>\n<!-- a > b --><a x='1>2'><n:b>one &amp; &#x41;</n:b><c/></a>\n");
  ASSERT_TRUE(elements.has_value());
  EXPECT_EQ(*elements, (std::vector<XmlElement>{{"a", "", 0}, {"b", "one & A", 1}, {"c", "", 1}}));
}

TEST(XmlTextTest, WhatIsNoneOrCouldGrowIsRefused) {
  for (const char* text : {"", "text", "<a>", "<a></b>", "<a></a><b/>", "<a>&lol;</a>",
                           "<!DOCTYPE a [<!ENTITY l 'x'>]><a>&l;</a>", "<a><![CDATA[x]]></a>",
                           "<a>&#xD800;</a>", "<a>&#0;</a>", "<a b></a>", "<a b='></a>", "</a>", "<a/>x"}) {
    EXPECT_FALSE(ReadXml(text).has_value()) << text;
  }
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<a>";
  EXPECT_FALSE(ReadXml(deep).has_value());
}

std::string ListOf(std::string_view keys, bool more = false) {
  return absl::StrCat("<ListBucketResult xmlns='http://s3'><Name>b</Name><IsTruncated>",
                      more ? "true" : "false", "</IsTruncated>", absl::string_view(keys.data(), keys.size()),
                      "</ListBucketResult>");
}

TEST(S3AnswersTest, AListGetsFurther) {
  const std::string two =
      "<Contents><Key>p/a</Key><Size>1</Size></Contents><Contents><Key>p/b</Key></Contents>";
  const auto list = ReadList(ListOf(two, true), "p/", "");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->keys, (std::vector<std::string>{"p/a", "p/b"}));
  EXPECT_TRUE(list->more);
  EXPECT_TRUE(ReadList(ListOf(""), "p/", "").has_value());
  EXPECT_FALSE(ReadList(ListOf(two), "p/", "p/a").has_value()) << "it begins where the last one ended";
  EXPECT_FALSE(ReadList(ListOf(two), "q/", "").has_value());
  EXPECT_FALSE(ReadList("<html><body>Welcome</body></html>", "p/", "").has_value());
}

TEST(S3AnswersTest, AnErrorSaysWhatToDo) {
  const auto error = [](const char* code) {
    return absl::StrCat("<Error><Code>", code, "</Code><Message>why</Message></Error>");
  };
  EXPECT_TRUE(absl::IsNotFound(ErrorOf(404, error("NoSuchKey"))));
  EXPECT_TRUE(absl::IsNotFound(ErrorOf(404, "")));
  EXPECT_TRUE(absl::IsFailedPrecondition(ErrorOf(404, error("NoSuchBucket"))));
  EXPECT_TRUE(absl::IsPermissionDenied(ErrorOf(403, error("SignatureDoesNotMatch"))));
  EXPECT_TRUE(absl::IsPermissionDenied(ErrorOf(400, error("ExpiredToken"))));
  EXPECT_TRUE(absl::IsUnavailable(ErrorOf(503, error("SlowDown"))));
  EXPECT_TRUE(absl::IsFailedPrecondition(ErrorOf(400, error("EntityTooLarge"))));
  EXPECT_TRUE(absl::IsFailedPrecondition(ErrorOf(301, "not xml at all")));
  EXPECT_EQ(ErrorOf(503, error("SlowDown")).message(), "it answers 503 SlowDown: why");
}

TEST(S3SettingsTest, APlaceIsAUrl) {
  const auto place = ReadS3Place("http://store.local:9000/films/eu/west");
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_EQ(place->host, "store.local");
  EXPECT_EQ(place->port, "9000");
  EXPECT_EQ(place->authority, "store.local:9000");
  EXPECT_EQ(place->bucket, "films");
  EXPECT_EQ(place->prefix, "eu/west/");
  EXPECT_EQ(ReadS3Place("http://[::1]:9000/b")->host, "::1");
  EXPECT_EQ(ReadS3Place("http://s3/b/")->prefix, "");
  for (const char* wrong :
       {"", "films", "http://", "http://host", "http://host/", "http://host:0x/b", "ftp://h/b",
        "http://user@host/b", "http://h/b?x", "http://h/b/../c", "http://h//b", "http://h/b//c"})
    EXPECT_FALSE(ReadS3Place(wrong).ok()) << wrong;
  EXPECT_THAT(std::string(ReadS3Place("https://h/b").status().message()), HasSubstr("TLS"));
}

TEST(S3SettingsTest, CredentialsAreThoseOfTheAwsPrograms) {
  const auto read = ReadCredentials(
      "# mine\n[default]\naws_access_key_id = AKIA1\naws_secret_access_key=s/e+c=\n"
      "region = x\n[other]\naws_access_key_id = AKIA2\n");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->key_id, "AKIA1");
  EXPECT_EQ(read->secret, "s/e+c=");
  EXPECT_EQ(
      ReadCredentials("aws_access_key_id=a\naws_secret_access_key=b\naws_session_token=t")->session_token,
      "t");
  const auto bad = ReadCredentials("aws_access_key_id = AKIA1\naws_secret_key = hunter2\n");
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(std::string(bad.status().message()), Not(HasSubstr("hunter2")));
}

TEST(RecordObjectTest, IsWholeOrNone) {
  Video video;
  video.id = VideoId{.created_s = 1, .draw = 10, .owner = "r"}.Text();
  video.prompt = "two\nlines";
  video.shared = true;
  const std::string object = EncodeRecordObject(video);
  const auto read = DecodeRecordObject(object);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->prompt, video.prompt);
  EXPECT_TRUE(read->shared);
  for (std::size_t size = 0; size < object.size(); ++size)
    EXPECT_FALSE(DecodeRecordObject(object.substr(0, size)).ok()) << size;
  std::string wrong = object;
  wrong.back() = static_cast<char>(wrong.back() ^ 1);
  EXPECT_FALSE(DecodeRecordObject(wrong).ok());
}

}  // namespace
}  // namespace ringway::gateway::objects
