// Thumbnails and spritesheets of films, from a real router that starts the real program; films that are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "engine/media/decode.h"
#include "engine/media/encode.h"
#include "gateway/preview_run.h"
#include "tests/deploy/npm_package.h"
#include "tests/deploy/shell.h"
#include "tests/gateway/edge_world.h"
#include "tests/live/http_get.h"

namespace ringway::videos_test {
namespace {

using ::testing::HasSubstr;

// 64 x 48, 9 frames; WebP, which every build reads.
std::string SmallFilm() {
  engine::Animation animation;
  for (int f = 0; f < 9; ++f) {
    animation.frames.push_back(engine::Picture::Blank(64, 48));
    for (auto& value : animation.frames.back().rgb) value = static_cast<std::uint8_t>(25 * f);
  }
  return *engine::EncodeWebp(animation, 80.0f);
}

class PreviewTest : public EdgeTest {
 protected:
  static Run Makes(const std::string& film, const std::string& type) {
    return [film, type](WorkerStream& stream, const v1::JobHeader&, const std::string&) {
      v1::JobDown down;
      down.set_chunk(film);
      stream.Write(down);
      stream.Write(DoneMessage("w1", type));
    };
  }
  static std::string Path(const std::string& id, const std::string& variant) {
    return absl::StrCat("/v1/videos/", id, "/content?variant=", variant);
  }
  std::size_t Kept() const {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.File("store") + "/previews"))
      files += entry.path().filename().string().starts_with("video_") ? 1 : 0;
    return files;
  }
};

TEST_F(PreviewTest, BothPicturesAreServedAsAFilmIs) {
  Start(Makes(SmallFilm(), "image/webp"));
  const std::string id = Make();
  const auto thumbnail = Get(Path(id, "thumbnail"));
  ASSERT_TRUE(thumbnail);
  ASSERT_EQ(thumbnail->status, 200) << thumbnail->body;
  EXPECT_EQ(thumbnail->Field("content-type"), "image/webp");
  EXPECT_EQ(thumbnail->Field("etag"), absl::StrCat("\"", id, "-thumbnail\""));
  EXPECT_THAT(thumbnail->Field("content-disposition"), HasSubstr("-thumbnail.webp"));
  const auto picture = engine::DecodeWebp(thumbnail->body);
  ASSERT_TRUE(picture.ok()) << picture.status();
  EXPECT_EQ(picture->width, 64);
  EXPECT_NEAR(*picture->At(30, 20), 100, 12) << "the middle of nine";
  const auto sheet = Get(Path(id, "spritesheet"));
  ASSERT_TRUE(sheet);
  ASSERT_EQ(sheet->status, 200) << sheet->body;
  EXPECT_EQ(sheet->Field("content-type"), "image/jpeg");
  EXPECT_THAT(sheet->Field("content-disposition"), HasSubstr("-spritesheet.jpg"));
  const auto tiles = engine::DecodeJpeg(sheet->body);
  ASSERT_TRUE(tiles.ok()) << tiles.status();
  EXPECT_EQ(tiles->width, 3 * 64);
  EXPECT_EQ(tiles->height, 3 * 48);

  const auto part = Get(Path(id, "thumbnail"), "Range: bytes=4-11\r\n");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->status, 206);
  EXPECT_EQ(part->body, thumbnail->body.substr(4, 8));
  EXPECT_EQ(part->Field("content-range"), absl::StrCat("bytes 4-11/", thumbnail->body.size()));
  const auto changed =
      Get(Path(id, "thumbnail"), absl::StrCat("Range: bytes=4-11\r\nIf-Range: \"", id, "\"\r\n"));
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->status, 200) << "that is the film's name";
  EXPECT_EQ(Get(Path(id, "thumbnail"), "Range: bytes=9999999-\r\n")->status, 416);
  EXPECT_EQ(Get(Path(id, "video"))->body, SmallFilm());
}

TEST_F(PreviewTest, APictureIsKeptAsLongAsItsFilm) {
  Start(Makes(SmallFilm(), "image/webp"));
  const std::string id = Make(), other = Make();
  for (const std::string& of : {id, other}) ASSERT_EQ(Get(Path(of, "thumbnail"))->status, 200);
  ASSERT_EQ(Get(Path(id, "spritesheet"))->status, 200);
  EXPECT_EQ(Kept(), 3u);
  EXPECT_EQ(Ask("DELETE /v1/videos/" + id)->status, 200);
  EXPECT_EQ(Kept(), 1u);
  EXPECT_EQ(Get(Path(id, "thumbnail"))->status, 404);
  const std::string before = Get(Path(other, "thumbnail"))->body;
  router_->Kill();
  router_->StartAgain();
  EXPECT_EQ(Get(Path(other, "thumbnail"))->body, before);
}

TEST_F(PreviewTest, AFilmThatIsNoneSaysSo) {
  const std::string cut = SmallFilm().substr(0, 60);
  for (const std::string& film : {std::string(300'000, 'f'), cut, std::string("<html></html>")}) {
    Start(Makes(film, "video/mp4"));
    const std::string id = Make();
    for (const char* variant : {"thumbnail", "spritesheet"}) {
      const auto answer = Get(Path(id, variant));
      ASSERT_TRUE(answer);
      const bool read = engine::AnimationFormatOf("mp4").has_value() || film == cut;
      EXPECT_EQ(answer->status, read ? 422 : 500) << answer->body;
      EXPECT_EQ(FieldOf(*answer, "param"), "variant") << answer->body;
      EXPECT_THAT(answer->body, HasSubstr(absl::StrCat("variant '", variant, "' of ", id)));
      EXPECT_EQ(answer->body.find(folder_.path()), std::string::npos) << "a path of this machine";
    }
    EXPECT_EQ(Get(Path(id, "video"))->body, film);
    router_.reset();
  }
}

TEST_F(PreviewTest, AnUnknownVariantIsRefusedByName) {
  Start(MakesAFilm());
  const auto answer = Get(Path(Make(), "trailer"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 400);
  EXPECT_EQ(FieldOf(*answer, "param"), "variant");
  EXPECT_THAT(answer->body, HasSubstr("variant is 'trailer'; allowed: video, thumbnail, spritesheet"));
}

// One picture is made at a time; who comes when sixteen wait is told when to come back, and nobody else is
// held up.
TEST_F(PreviewTest, TooManyAtOnceAreToldToComeBack) {
  Start(Makes(SmallFilm(), "image/webp"));
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(Make());
  std::vector<http_test::Wire> wires;
  for (const std::string& id : ids) {
    for (const char* variant : {"thumbnail", "spritesheet"}) {
      wires.push_back(http_test::Wire::To(router_->videos()));
      ASSERT_TRUE(wires.back().Send(
          absl::StrCat("GET ", Path(id, variant), " HTTP/1.1\r\nHost: ", router_->videos(), "\r\n\r\n")));
    }
  }
  EXPECT_EQ(Get("/v1/models")->status, 200);
  int made = 0, later = 0;
  for (http_test::Wire& wire : wires) {
    const auto answer = http_test::ReadAnswer(wire, false, Seconds(60));
    ASSERT_TRUE(answer);
    if (answer->status == 200) {
      ++made;
      continue;
    }
    ++later;
    EXPECT_EQ(answer->status, 503) << answer->body;
    EXPECT_EQ(FieldOf(*answer, "code"), "overloaded");
    EXPECT_EQ(answer->Field("retry-after"), "2");
  }
  EXPECT_GE(made, 16);
  EXPECT_GT(later, 0);
  // Whoever went away meanwhile costs nothing but the run.
  EXPECT_TRUE(live::Eventually([&] { return Get(Path(ids.back(), "spritesheet"))->status == 200; }));
}

TEST_F(PreviewTest, TheOpenAiClientGetsThem) {
  const NpmPackage openai = InstallNpmPackage("openai@6", "openai");
  if (!openai.why_not.empty()) GTEST_SKIP() << "THE OPENAI CLIENT IS NOT TESTED: " << openai.why_not;
  Start(Makes(SmallFilm(), "image/webp"));
  const Ran ran = RunShell(absl::StrCat("cp ", RINGWAY_SOURCE_DIR, "/tests/gateway/openai_previews.mjs ",
                                        openai.folder, "/ && timeout 60 node ", openai.folder,
                                        "/openai_previews.mjs http://", router_->videos(), "/v1 2>&1"));
  EXPECT_EQ(ran.code, 0) << ran.output;
}

// ---- the run of the program ----

class PreviewRunTest : public ::testing::Test {
 protected:
  absl::Status Run(const std::string& script, Duration limit = Seconds(60), bool stop = false) {
    const std::string program = folder_.File("program");
    std::ofstream(program) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const std::atomic<bool> stops = stop;
    return gateway::RunPreview({.program = program,
                                .variant = "thumbnail",
                                .film = "film",
                                .picture = "picture",
                                .said = folder_.File("said"),
                                .limit = limit},
                               stops);
  }
  live::ScratchFolder folder_;
};

TEST_F(PreviewRunTest, WhateverBecomesOfTheProgramIsAnAnswer) {
  EXPECT_TRUE(Run("[ \"$*\" = 'thumbnail film picture' ]").ok());
  EXPECT_EQ(Run("echo 'no film'; echo more; exit 1"), absl::InvalidArgumentError("no film"));
  EXPECT_EQ(Run("echo 'the disk'; exit 2"), absl::InternalError("the disk"));
  EXPECT_TRUE(absl::IsInvalidArgument(Run("kill -SEGV $$")));
  EXPECT_THAT(std::string(Run("kill -SEGV $$").message()), HasSubstr("signal 11"));
  EXPECT_THAT(std::string(Run("kill -XCPU $$").message()), HasSubstr("takes too long"));
  const Time began = absl::Now();
  EXPECT_THAT(std::string(Run("exec sleep 100", Milliseconds(300)).message()), HasSubstr("takes too long"));
  EXPECT_TRUE(absl::IsCancelled(Run("exec sleep 100", Seconds(60), true)));
  EXPECT_LT(absl::Now() - began, Seconds(50)) << "the program was waited for";
}

TEST_F(PreviewRunTest, AProgramThatIsNotThereIsNamed) {
  const std::atomic<bool> stop = false;
  const absl::Status status = gateway::RunPreview({.program = "/no/ringway-preview"}, stop);
  EXPECT_TRUE(absl::IsUnimplemented(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("/no/ringway-preview"));
  EXPECT_THAT(gateway::PreviewProgram(), ::testing::EndsWith("/ringway-preview"));
}

}  // namespace
}  // namespace ringway::videos_test
