// `ringway submit` against a router that plays its part from a script.
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/job_codec.h"
#include "ringway/v1/job.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/cli/run.h"

namespace ringway::cli {
namespace {

using ::testing::HasSubstr;

// Takes the whole job, answers with progress, the payload as the result, and `outcome`.
class EchoRouter : public v1::Ingress::Service {
 public:
  grpc::Status Submit(grpc::ServerContext*,
                      grpc::ServerReaderWriter<v1::JobDown, v1::JobUp>* stream) override {
    std::string payload;
    v1::JobUp up;
    while (stream->Read(&up)) {
      if (up.has_header()) header = up.header();
      if (up.kind_case() == v1::JobUp::kChunk) {
        chunk_bytes_max = std::max(chunk_bytes_max, up.chunk().size());
        payload += up.chunk();
      }
    }
    v1::JobDown down;
    down.mutable_accepted()->set_worker("w1");
    stream->Write(down);
    down.mutable_progress()->set_step(1);
    down.mutable_progress()->set_steps(15);
    stream->Write(down);
    down.set_chunk(payload);
    stream->Write(down);
    down.mutable_end()->set_outcome(outcome);
    down.mutable_end()->set_message("as scripted");
    down.mutable_end()->mutable_story()->set_attempts(3);
    stream->Write(down);
    return grpc::Status::OK;
  }
  std::string outcome = "done";
  v1::JobHeader header;
  std::size_t chunk_bytes_max = 0;
};

class SubmitTest : public ::testing::Test {
 protected:
  SubmitTest() : server_(*runtime::GrpcServer::Start("127.0.0.1:0", {&router_})) {}
  Ran Submit(std::vector<std::string> words) {
    words.insert(words.begin(), "submit");
    words.insert(words.end(), {"--router", server_.address()});
    return Ringway(std::move(words));
  }
  EchoRouter router_;
  runtime::GrpcServer server_;
  const std::string out_ = ::testing::TempDir() + "/submit_out";
};

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

TEST_F(SubmitTest, SendsThePayloadInChunksAndKeepsTheResult) {
  const std::string in = ::testing::TempDir() + "/submit_in";
  std::string payload(3 * wire::kChunkBytesMax / 2 + 1, 'p');
  payload[7] = '\0';
  std::ofstream(in, std::ios::binary) << payload;
  const Ran ran = Submit({"--file", in, "--out", out_, "--prompt", "a horse", "--deadline", "1500ms",
                          "--param", "seed=7", "--steps", "15", "--key", "k1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ReadAll(out_), payload);
  EXPECT_EQ(router_.chunk_bytes_max, wire::kChunkBytesMax);
  EXPECT_EQ(router_.header.payload_bytes(), payload.size());
  EXPECT_EQ(router_.header.prompt(), "a horse");
  EXPECT_EQ(router_.header.deadline_s(), 1.5);
  EXPECT_EQ(router_.header.parameters().at("seed"), "7");
  EXPECT_EQ(router_.header.steps(), 15u);
  EXPECT_EQ(router_.header.idempotency_key(), "k1");
  EXPECT_THAT(ran.err, HasSubstr("step 1 of 15"));
  EXPECT_THAT(ran.out, HasSubstr("3 attempts"));
}

TEST_F(SubmitTest, AFailedJobLeavesNoFileAndIsNotZero) {
  std::filesystem::remove(out_);
  router_.outcome = "shed";
  const Ran shed = Submit({"--out", out_});
  EXPECT_EQ(shed.code, 1);
  EXPECT_THAT(shed.out, HasSubstr("shed: as scripted"));
  EXPECT_FALSE(std::filesystem::exists(out_));
  EXPECT_FALSE(std::filesystem::exists(out_ + ".part"));
  router_.outcome = "rejected";
  EXPECT_EQ(Submit({}).code, 4);
}

TEST_F(SubmitTest, MistakesAreNamedBeforeAnythingIsSent) {
  EXPECT_EQ(Submit({"--deadline", "5"}).code, 2);
  EXPECT_EQ(Submit({"--param", "novalue"}).code, 2);
  EXPECT_THAT(Submit({"--file", "/nowhere"}).err, HasSubstr("/nowhere: cannot be opened"));
}

TEST(SubmitNobodyTest, NobodyAnswersIsThree) {
  const Ran ran = Ringway({"submit", "--router", "127.0.0.1:1"});
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("RINGWAY_ROUTER"));
}

}  // namespace
}  // namespace ringway::cli
