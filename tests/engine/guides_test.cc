// What guides a picture beside its prompt: masks, learnt words, and previews on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/weights.h"
#include "tests/engine/hash_weights.h"
#include "tests/engine/picture_files.h"

namespace ringway::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Guides : public testing::Test {
 protected:
  Guides() { WritePictureModel(folder_, "picture_sd1"); }
  std::unique_ptr<PictureEngine> Open() const {
    auto engine = PictureEngine::Open(folder_.path(), {.threads = 2});
    EXPECT_TRUE(engine.ok()) << engine.status();
    return std::move(engine).value();
  }
  static PictureRequest Request() {
    return {.prompt = "the boat sways", .width = 32, .height = 24, .steps = 3};
  }
  static Picture Photo() {
    Picture photo = Picture::Blank(32, 24);
    for (std::size_t i = 0; i < photo.rgb.size(); ++i) photo.rgb[i] = static_cast<std::uint8_t>(i * 31);
    return photo;
  }
  // The left half is drawn anew.
  static Picture Mask() {
    Picture mask = Picture::Blank(32, 24);
    for (int y = 0; y < 24; ++y)
      for (int x = 0; x < 16; ++x) std::fill_n(mask.At(x, y), 3, 255);
    return mask;
  }
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string WriteRows(const std::string& name, const std::string& key, std::int64_t width,
                        const std::vector<float>& rows) const {
    const auto count = static_cast<std::int64_t>(rows.size()) / width;
    const std::pair<std::string, Tensor> tensors[] = {{key, Tensor::FromFloats({count, width}, rows)}};
    EXPECT_TRUE(WriteSafetensors(folder_.path() / name, tensors).ok());
    return Path(name);
  }
  // Rows of the text encoder's table.
  std::vector<float> TableRows(const std::vector<std::int32_t>& ids) const {
    const Weights weights = Weights::OpenComponent(folder_.path() / "text_encoder").value();
    std::vector<float> rows;
    for (const std::int32_t id : ids) {
      std::vector<float> row(40);
      EXPECT_TRUE(weights.ReadRows("text_model.embeddings.token_embedding.weight", id, 40, row).ok());
      rows.insert(rows.end(), row.begin(), row.end());
    }
    return rows;
  }
  std::vector<std::int32_t> IdsOf(const std::string& prompt) const {
    const auto tokenizer = ClipTokenizer::Open(folder_.path() / "tokenizer", 77, 800).value();
    auto ids = tokenizer.Encode(prompt);
    return {ids.begin() + 1, ids.begin() + static_cast<std::ptrdiff_t>(tokenizer.EndOf(ids))};
  }

  ScratchFolder folder_;
};

void ExpectRepaints(PictureEngine& engine, const PictureRequest& request, const Picture& photo) {
  const auto drawn = engine.Draw(request, {}, {});
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  int changed = 0;
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 32; ++x)
      for (int c = 0; c < 3; ++c) {
        const bool same = drawn->picture.At(x, y)[c] == photo.At(x, y)[c];
        if (x >= 16) {
          ASSERT_TRUE(same) << x << " " << y << " stays";
        }
        if (x < 16 && !same) ++changed;
      }
  EXPECT_GT(changed, 800) << "the rest is drawn anew";
}

TEST_F(Guides, AMaskKeepsThePhotosOwnPixels) {
  PictureRequest request = Request();
  request.start = Photo();
  request.mask = Mask();
  request.strength = 1;
  const auto engine = Open();
  ExpectRepaints(*engine, request, Photo());
  const Picture once = engine->Draw(request, {}, {})->picture;
  // What stays is known to what is drawn: another photo, another drawing.
  PictureRequest other = request;
  for (int y = 0; y < 24; ++y) std::fill_n(other.start->At(16, y), 48, 0);
  const Picture beside = engine->Draw(other, {}, {})->picture;
  bool left_differs = false;
  for (int y = 0; y < 24; ++y) left_differs |= !std::equal(once.At(0, y), once.At(16, y), beside.At(0, y));
  EXPECT_TRUE(left_differs);
  request.mask = Picture::Blank(32, 24);
  EXPECT_EQ(engine->Draw(request, {}, {})->picture, Photo()) << "nothing is drawn anew";
  request.start.reset();
  EXPECT_THAT(engine->Draw(request, {}, {}).status().message(), HasSubstr("no picture to start from"));
}

TEST_F(Guides, AUNetForInpaintingSeesThePhotoAndTheMask) {
  MakeInpainting(folder_);
  const auto engine = Open();
  EXPECT_TRUE(engine->Load().ok());
  EXPECT_THAT(engine->Draw(Request(), {}, {}).status().message(),
              AllOf(HasSubstr("unet/config.json"), HasSubstr("a mask")));
  PictureRequest request = Request();
  request.start = Photo();
  request.mask = Mask();
  request.strength = 1;
  ExpectRepaints(*engine, request, Photo());
  const Picture once = engine->Draw(request, {}, {})->picture;
  for (int y = 0; y < 24; ++y) std::fill_n(request.start->At(16, y), 48, 0);
  EXPECT_NE(engine->Draw(request, {}, {})->picture.rgb[0], once.rgb[0]);
}

TEST_F(Guides, ALearntWordWithTheRowsOfWordsIsThoseWords) {
  const auto engine = Open();
  const Picture said = engine->Draw(Request(), {}, {})->picture;
  PictureRequest request = Request();
  request.prompt = "the <thing>";
  request.words = {
      {"<thing>", WriteRows("thing.safetensors", "<thing>", 40, TableRows(IdsOf("boat sways")))}};
  const auto drawn = engine->Draw(request, {}, {});
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_EQ(drawn->picture, said);
  request.words[0].path = WriteRows("other.safetensors", "emb_params", 40, TableRows(IdsOf("water hills")));
  EXPECT_NE(engine->Draw(request, {}, {})->picture, said);
  EXPECT_EQ(engine->Draw(Request(), {}, {})->picture, said) << "nothing stays behind";
  request.prompt = "the boat sways";
  const auto unused = engine->Draw(request, {}, {});
  EXPECT_EQ(unused->picture, said);
  EXPECT_THAT(unused->notes, testing::Contains(HasSubstr("\"<thing>\" stands in no prompt")));
}

TEST_F(Guides, WrongWordFilesAreNamed) {
  const auto engine = Open();
  const auto refusal = [&](const std::string& path, const std::string& word = "w") {
    PictureRequest request = Request();
    request.words = {{word, path}};
    return std::string(engine->Draw(request, {}, {}).status().message());
  };
  EXPECT_THAT(refusal(WriteRows("wide.safetensors", "x", 48, std::vector<float>(96))),
              AllOf(HasSubstr("wide.safetensors"), HasSubstr("\"x\" is 2 x 48"), HasSubstr("rows of 40")));
  EXPECT_THAT(refusal(WriteRows("long.safetensors", "x", 40, std::vector<float>(40 * 76))),
              HasSubstr("1 to 75"));
  EXPECT_THAT(refusal(WriteRows("nan.safetensors", "x", 40, std::vector<float>(40, NAN))),
              AllOf(HasSubstr("nan.safetensors"), HasSubstr("\"x\" holds nan")));
  EXPECT_THAT(refusal(WriteRows("xl.safetensors", "clip_l", 40, std::vector<float>(40))), HasSubstr("of XL"));
  EXPECT_THAT(refusal(Path("text_encoder/model.safetensors")), HasSubstr("a word of this model has one"));
  EXPECT_THAT(refusal(Path("none.safetensors")), HasSubstr("none.safetensors"));
  EXPECT_THAT(refusal(folder_.Write("cut.safetensors", "\x10").string()), HasSubstr("cut.safetensors"));
  EXPECT_THAT(refusal(WriteRows("right.safetensors", "x", 40, std::vector<float>(40)), ""),
              HasSubstr("1 to 128"));
}

// Put into the place of the model's own, as people do, without a word in the index.
TEST_F(Guides, ATinyAutoencoderIsListedAsOne) {
  WriteTinyAutoencoder(folder_, "vae");
  const auto opened = PictureEngine::Open(folder_.path(), {.threads = 2});
  EXPECT_THAT(opened.status().message(), AllOf(HasSubstr("vae/config.json"), HasSubstr("AutoencoderTiny"),
                                               HasSubstr("model_index.json")));
}

TEST_F(Guides, PreviewsShowTheWay) {
  WriteTinyAutoencoder(folder_, "tiny");
  const auto engine = Open();
  PictureRequest request = Request();
  const Picture plain = engine->Draw(request, {}, {})->picture;
  std::vector<int> steps;
  std::vector<Picture> seen;
  request.preview = Path("tiny");
  request.on_preview = [&](int step, const Picture& picture) {
    steps.push_back(step);
    seen.push_back(picture);
  };
  EXPECT_EQ(engine->Draw(request, {}, {})->picture, plain) << "looking changes nothing";
  EXPECT_EQ(steps, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(seen[0].width, 32);
  EXPECT_EQ(seen[0].height, 24);
  EXPECT_NE(seen[0], seen[2]);
  request.preview = Path("vae");
  EXPECT_THAT(engine->Draw(request, {}, {}).status().message(), HasSubstr("vae"));
  folder_.Write("tiny/config.json", R"({"latent_channels":16})");
  const auto fresh = Open();
  request.preview = Path("tiny");
  EXPECT_THAT(fresh->Draw(request, {}, {}).status().message(),
              AllOf(HasSubstr("tiny/config.json"), HasSubstr("different models")));
}

}  // namespace
}  // namespace ringway::engine
