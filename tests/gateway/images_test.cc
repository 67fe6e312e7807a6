// The images API on real processes: a controller, routers, and workers that draw with a small random model in
// the stock layout. What comes out is compared with what the engine draws here.
#include <gmock/gmock.h>

#include "absl/strings/escaping.h"
#include "core/json_reader.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/weights.h"
#include "engine/media/decode.h"
#include "engine/media/drawn_picture.h"
#include "engine/media/encode.h"
#include "engine/picture_engine.h"
#include "tests/deploy/npm_package.h"
#include "tests/engine/picture_files.h"
#include "tests/gateway/video_world.h"
#include "tests/router/http/raw_client.h"

namespace ringway::gateway_test {
namespace {

using http_test::Answer;
using ::testing::HasSubstr;
using videos_test::VideoWorld;

constexpr char kJsonField[] = "Content-Type: application/json\r\n";

// A LoRA of one layer of the model's UNet.
std::string WriteLora(const engine::ScratchFolder& folder) {
  constexpr char kLayer[] = "mid_block.attentions.0.transformer_blocks.0.attn1.to_q";
  const auto weights = engine::Weights::OpenComponent(folder.path() / "unet").value();
  const engine::StoredTensor* stored = weights.Find(std::string(kLayer) + ".weight");
  const std::int64_t out = stored->dims[0], in = stored->dims[1];
  std::string key = std::string("lora_unet_") + kLayer;
  for (char& c : key) c = c == '.' ? '_' : c;
  const auto filled = [](engine::Shape shape, float value) {
    return engine::Tensor::FromFloats(shape,
                                      std::vector<float>(static_cast<std::size_t>(shape.elements()), value));
  };
  const auto path = folder.path() / "house.safetensors";
  const std::pair<std::string, engine::Tensor> tensors[] = {
      {key + ".lora_down.weight", filled({2, in}, 0.3f)}, {key + ".lora_up.weight", filled({out, 2}, 0.3f)}};
  EXPECT_TRUE(engine::WriteSafetensors(path, tensors).ok());
  return path.string();
}

class ImagesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    files_ = new engine::ScratchFolder();
    engine::WritePictureModel(*files_, "picture_sd1");
    fleet_ =
        new VideoWorld({.regions = {{"lima", 1, 1}, {"oslo", 1, 1}},
                        .worker_flags = {"--backend", "engine", "--engine-model", files_->path().string(),
                                         "--engine-threads", "1", "--engine-lora",
                                         "house=" + WriteLora(*files_), "--engine-pixels-max", "65536"},
                        .router_flags = {"--videos-body-mib", "1"}});
    ASSERT_TRUE(fleet_->AwaitReady());
  }
  static void TearDownTestSuite() {
    delete std::exchange(fleet_, nullptr);
    delete std::exchange(files_, nullptr);
  }

  static std::string Router() { return fleet_->world().routers().begin()->second->videos(); }
  static std::optional<Answer> Generate(const std::string& json, const std::string& fields = "",
                                        const std::string& path = "/v1/images/generations") {
    return Ask("POST " + path, fields + kJsonField, json);
  }
  static std::optional<Answer> Ask(const std::string& line, const std::string& fields = "",
                                   const std::string& body = "") {
    http_test::Wire wire = http_test::Wire::To(Router());
    // A server may have answered before all of it was sent.
    (void)wire.Send(absl::StrCat(line, " HTTP/1.1\r\nHost: ", Router(), "\r\n", fields,
                                 "Content-Length: ", body.size(), "\r\n\r\n", body));
    return http_test::ReadAnswer(wire, false, Seconds(30));
  }
  // The pictures of an answer; none, and a failure, where it is something else.
  static std::vector<std::string> Pictures(const std::optional<Answer>& answer) {
    std::vector<std::string> pictures;
    if (!answer || answer->status != 200) {
      ADD_FAILURE() << (answer ? answer->body : "no answer");
      return pictures;
    }
    const Json json = Json::Parse(answer->body, "answer", {.values_max = 1000}).value();
    EXPECT_NE(json.Find("created")->integer(), nullptr);
    for (const Json& item : *json.Find("data")->array()) {
      EXPECT_FALSE(item.Find("ringway")->Find("worker")->string()->empty());
      std::string bytes;
      EXPECT_TRUE(absl::Base64Unescape(*item.Find("b64_json")->string(), &bytes));
      pictures.push_back(std::move(bytes));
    }
    return pictures;
  }
  static void ExpectRefused(const std::optional<Answer>& answer, int status, const std::string& says) {
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->status, status) << answer->body;
    EXPECT_THAT(answer->body, HasSubstr(says));
    EXPECT_THAT(answer->body, HasSubstr("\"error\":{\"message\":"));
  }
  static engine::Picture DrawnHere(const engine::PictureRequest& request) {
    const auto engine = engine::PictureEngine::Open(files_->path(), {.threads = 1}).value();
    return engine->Draw(request, {}, {}).value().picture;
  }
  static std::string Data(const std::string& png) {
    return "\"data:image/png;base64," + absl::Base64Escape(png) + "\"";
  }

  static engine::ScratchFolder* files_;
  static VideoWorld* fleet_;
};

engine::ScratchFolder* ImagesTest::files_ = nullptr;
VideoWorld* ImagesTest::fleet_ = nullptr;

TEST_F(ImagesTest, DrawsWhatTheEngineDraws) {
  const auto answer = Generate(
      R"({"prompt":"the boat sways","negative_prompt":"water","seed":7,"steps":3,"size":"48x32","guidance":4,
          "scheduler":"euler","n":2,"response_format":"b64_json","quality":"auto","stream":false})");
  const std::vector<std::string> pictures = Pictures(answer);
  ASSERT_EQ(pictures.size(), 2u);
  engine::PictureRequest request{.prompt = "the boat sways", .negative = "water", .seed = 7, .width = 48};
  request.height = 32;
  request.steps = 3;
  request.guidance = 4;
  request.scheduler = "euler";
  EXPECT_EQ(engine::DecodePicture(pictures[0]).value(), DrawnHere(request));
  request.seed = 8;
  EXPECT_EQ(engine::DecodePicture(pictures[1]).value(), DrawnHere(request));
  EXPECT_THAT(answer->body, HasSubstr("\"seed\":\"7\""));
  EXPECT_THAT(pictures[0], HasSubstr("the boat sways")) << "a picture says how it was made";
}

TEST_F(ImagesTest, AnotherCallIsAnotherPictureUnlessASeedIsNamed) {
  const std::string order = R"({"prompt":"a boat","steps":1,"size":"16x16"})";
  EXPECT_NE(Pictures(Generate(order)), Pictures(Generate(order)));
}

TEST_F(ImagesTest, EditsAndVariationsStartFromAPicture) {
  engine::PictureRequest request{.prompt = "a boat", .seed = 3};
  request.steps = 2;
  request.start = engine::DrawPicture(32, 24);
  request.strength = 0.5;
  const std::string png = engine::EncodePng(*request.start).value();
  const std::string fields = R"(,"seed":3,"steps":2,"strength":0.5})";
  const auto edited =
      Pictures(Generate(R"({"prompt":"a boat","image":)" + Data(png) + fields, "", "/v1/images/edits"));
  ASSERT_EQ(edited.size(), 1u);
  EXPECT_EQ(engine::DecodePicture(edited[0]).value(), DrawnHere(request));
  request.prompt = "";
  request.guidance = 1;
  const auto varied = Pictures(
      Generate(R"({"image":[{"image_url":)" + Data(png) + "}]" + fields, "", "/v1/images/variations"));
  ASSERT_EQ(varied.size(), 1u);
  EXPECT_EQ(engine::DecodePicture(varied[0]).value(), DrawnHere(request));
  std::ofstream(fleet_->folder().File("photo.png"), std::ios::binary) << png;
  fleet_->Run(
      "curl -fsS http://$V1/v1/images/edits -F prompt='a boat' -F seed=3 -F steps=2 -F strength=0.5 "
      "-F image=@photo.png | sed 's/.*b64_json\":\"\\([^\"]*\\).*/\\1/' | base64 -d > by_form.png\n");
  EXPECT_EQ(ReadText(fleet_->folder().File("by_form.png")), edited[0]);
}

TEST_F(ImagesTest, DrawsWithAdaptersThatTheOperatorNamed) {
  const auto with = [](const std::string& lora) {
    return Generate(R"({"prompt":"a boat","seed":1,"steps":2,"size":"16x16","lora":)" + lora + "}");
  };
  const auto drawn = Pictures(with(R"(["house:0.7"])"));
  engine::PictureRequest request{.prompt = "a boat", .seed = 1, .width = 16};
  request.height = 16;
  request.steps = 2;
  request.adapters = {{(files_->path() / "house.safetensors").string(), 0.7}};
  ASSERT_EQ(drawn.size(), 1u);
  EXPECT_EQ(engine::DecodePicture(drawn[0]).value(), DrawnHere(request));
  ExpectRefused(with(R"("home")"), 400, R"(lora \"home\" is not registered here; there are: house)");
  ExpectRefused(with(R"("../house.safetensors")"), 400, "is not registered here");
}

TEST_F(ImagesTest, WhatIsNotUnderstoodIsSaid) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"prompt":"x","colour":"red"})", R"(unknown setting \"colour\"; allowed: negative_prompt, seed)"},
      {R"({"prompt":"x","quality":"hd"})", "quality is 'hd'; allowed: auto; leave it out"},
      {R"({"prompt":"x","style":"vivid"})", "style is 'vivid'; leave it out"},
      {R"({"prompt":"x","response_format":"url"})", "response_format is 'url'; allowed: b64_json"},
      {R"({"prompt":"x","output_format":"webp"})", "output_format is 'webp'; allowed: png"},
      {R"({"prompt":"x","stream":true})", "stream is 'true'; allowed: false; images are answered when"},
      {R"({"prompt":"x","n":11})", "n is '11'; allowed: a whole number from 1 to 10"},
      {R"({"prompt":"x","size":"33x32"})", "both must be multiples of 8"},
      {R"({"prompt":"x","size":"512x512"})", "this worker draws at most 65536"},
      {R"({"prompt":"x","size":"large"})", "size is 'large'; allowed: WIDTHxHEIGHT"},
      {R"({"prompt":"x","strength":0.5})", "strength is given, but no image"},
      {R"({"prompt":"x","seed":-1})", "seed is '-1'; allowed: a whole number from 0"},
      {R"({"prompt":"x","scheduler":"best"})", "scheduler"},
      {R"({"prompt":"x","image":"AAAA"})", "field 'image' is not one of this call"},
      {R"({"prompt":"x","webhook_url":"http://h/"})", "field 'webhook_url' is not one of this call"},
      {R"({"prompt":"x","pictures":"image=1"})", "field 'pictures' is not one of this call"},
      {R"({"size":"16x16"})", "prompt is missing"}};
  for (const auto& [json, says] : wrong) ExpectRefused(Generate(json), 400, says);
  ExpectRefused(Generate(R"({"prompt":"x"})", "", "/v1/images/edits"), 400, "image is missing");
  ExpectRefused(Generate(R"({"prompt":"x","image":"AAAA"})", "", "/v1/images/variations"), 400,
                "prompt is not a field of variations");
  ExpectRefused(Generate(R"({"prompt":"x","image":"AAAA"})", "", "/v1/images/edits"), 400,
                "PNG, JPEG and WebP are");
  ExpectRefused(Generate(R"({"prompt":"x","model":"dall-e-3"})"), 404,
                "model is 'dall-e-3'; this fleet serves");
  ExpectRefused(Generate(R"({"prompt":"x","deadline_s":0.0001})"), 429, "");
  ExpectRefused(Generate(R"({"prompt":")" + std::string(2 << 20, 'x') + "\"}"), 413, "body");
  const auto got = Ask("GET /v1/images/generations");
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->status, 405);
}

// The worker said which pictures it reads: what is none is not offered to it.
TEST_F(ImagesTest, AWrongPictureIsOfferedToNoWorker) {
  const auto offers = [] {
    double sum = 0;
    for (const auto& [name, router] : fleet_->world().routers()) {
      for (const char* result : {"done", "busy", "failed", "rejected", "cancelled"}) {
        sum += live::MetricValue(router->http(),
                                 absl::StrCat("ringway_router_offers_total{result=\"", result, "\"}"))
                   .value_or(0);
      }
    }
    return sum;
  };
  // Offers of the tests before this one have ended.
  ASSERT_TRUE(live::Eventually([] { return fleet_->world().SumOverWorkers("ringway_worker_busy") == 0; }));
  const double before = offers();
  const std::string png = engine::EncodePng(engine::DrawPicture(32, 24)).value();
  const std::pair<std::string, const char*> wrong[] = {
      {R"({"prompt":"x","image":"AAAA"})", "\"param\":\"image\""},
      {R"({"prompt":"x","image":)" + Data(png) + R"(,"mask":"AAAA"})", "\"param\":\"mask\""},
      {R"({"prompt":"x","image":)" + Data(png) + R"(,"control_image":"R0lGODlhAQABAAAAADs="})",
       "\"param\":\"control_image\""},
      {R"({"prompt":"x","image":)" + Data(png.substr(0, 20)) + "}",
       "the header of this PNG picture is damaged"}};
  for (const auto& [json, says] : wrong) ExpectRefused(Generate(json, "", "/v1/images/edits"), 400, says);
  EXPECT_EQ(offers(), before);
}

TEST_F(ImagesTest, TheSameKeyIsTheSamePicture) {
  const std::string order = R"({"prompt":"a boat","steps":2,"size":"16x16","n":2})";
  const std::string key = "Idempotency-Key: images-1\r\n";
  const std::string done = "ringway_worker_jobs_total{outcome=\"done\"}";
  const auto first = Pictures(Generate(order, key));
  const double drawn = fleet_->world().SumOverWorkers(done);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_NE(first[0], first[1]);
  EXPECT_EQ(Pictures(Generate(order, key)), first);
  EXPECT_EQ(fleet_->world().SumOverWorkers(done), drawn) << "a repeated request draws nothing";
  ExpectRefused(Generate(R"({"prompt":"another","steps":2,"size":"16x16","n":2})", key), 409,
                "belongs to another request");
  ExpectRefused(Generate(R"({"prompt":"a boat","steps":2,"size":"16x16"})", key), 409,
                "belongs to another request");
}

TEST_F(ImagesTest, ImagesAreNoVideosAndLeaveNothingBehind) {
  EXPECT_EQ(Pictures(Generate(R"({"prompt":"a boat","steps":1,"size":"16x16"})")).size(), 1u);
  const auto list = live::HttpGet(Router(), "/v1/videos");
  ASSERT_TRUE(list.has_value());
  EXPECT_THAT(list->body, HasSubstr("\"data\":[]"));
  // Only what has a key is kept, until it expires.
  const std::string folder = fleet_->world().StateDir("lima-0") + "/videos";
  EXPECT_EQ(OutputOf("grep -L images-1 $(find " + folder + " -name 'image_*.job') /dev/null"), "/dev/null\n");
}

TEST_F(ImagesTest, AClientThatLeavesCancelsItsPictures) {
  const std::string cancelled = "ringway_worker_jobs_total{outcome=\"cancelled\"}";
  const double before = fleet_->world().SumOverWorkers(cancelled);
  {
    http_test::Wire wire = http_test::Wire::To(Router());
    const std::string body = R"({"prompt":"a boat","steps":500,"size":"128x128","n":2,"deadline_s":3600})";
    ASSERT_TRUE(wire.Send(absl::StrCat("POST /v1/images/generations HTTP/1.1\r\nHost: ", Router(), "\r\n",
                                       kJsonField, "Content-Length: ", body.size(), "\r\n\r\n", body)));
    ASSERT_TRUE(live::Eventually([] { return fleet_->world().SumOverWorkers("ringway_worker_busy") >= 1; }));
    EXPECT_FALSE(wire.ReadUntil("\r\n", Milliseconds(200)).has_value()) << "it is still being drawn";
  }
  EXPECT_TRUE(live::Eventually([&] { return fleet_->world().SumOverWorkers(cancelled) >= before + 1; }));
  EXPECT_EQ(Pictures(Generate(R"({"prompt":"a boat","steps":1,"size":"16x16"})")).size(), 1u);
}

TEST_F(ImagesTest, RequestsOfOtherServersAreAnswered) {
  if (!Installed("node")) GTEST_SKIP() << "no node here";
  std::ofstream(fleet_->folder().File("photo.png"), std::ios::binary)
      << engine::EncodePng(engine::DrawPicture(32, 24)).value();
  const std::string source = RINGWAY_SOURCE_DIR;
  fleet_->Run(absl::StrCat("node ", source, "/tests/gateway/servers.mjs http://$V images ", source,
                           "/docs/openai-differences.md photo.png\n"));
  std::cout << fleet_->output;
}

TEST_F(ImagesTest, TheOpenAiClientDraws) {
  const NpmPackage openai = InstallNpmPackage("openai@6", "openai");
  if (!openai.why_not.empty()) GTEST_SKIP() << "THE OPENAI CLIENT IS NOT TESTED: " << openai.why_not;
  std::ofstream(fleet_->folder().File("photo.png"), std::ios::binary)
      << engine::EncodePng(engine::DrawPicture(32, 24)).value();
  fleet_->Run(absl::StrCat("cp ", RINGWAY_SOURCE_DIR, "/tests/gateway/openai_images.mjs ", openai.folder,
                           "/\nnode ", openai.folder, "/openai_images.mjs http://$V/v1 photo.png\n"));
  std::cout << fleet_->output;
}

}  // namespace
}  // namespace ringway::gateway_test
