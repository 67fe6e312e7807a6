// `ringway submit` against a router that plays its part from a script.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/job_codec.h"
#include "ringway/v1/admin.grpc.pb.h"
#include "ringway/v1/job.grpc.pb.h"
#include "ringway/v1/worker.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "runtime/http_server.h"
#include "tests/cli/read_all.h"
#include "tests/cli/run.h"

namespace ringway::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
    if (!without_a_trace) down.mutable_end()->mutable_trace()->set_offers(3);
    stream->Write(down);
    return grpc::Status::OK;
  }
  std::string outcome = "done";
  bool without_a_trace = false;
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
  EXPECT_THAT(ran.out, HasSubstr("3 to workers"));
}

TEST_F(SubmitTest, TheEndingOfTheFileChoosesTheFormat) {
  const std::string folder = ::testing::TempDir() + "/submit_formats";
  std::filesystem::create_directories(folder);
  const auto format = [&](std::vector<std::string> words) -> std::string {
    router_.header.Clear();
    const Ran ran = Submit(std::move(words));
    EXPECT_EQ(ran.code, 0) << ran.err;
    const auto& parameters = router_.header.parameters();
    return parameters.contains("format") ? parameters.at("format") : "(none)";
  };
  EXPECT_EQ(format({"--out", folder + "/film.gif"}), "gif");
  EXPECT_EQ(format({"--out", folder + "/FILM.WebP"}), "webp");
  EXPECT_EQ(format({"--out", folder + "/film.apng"}), "apng");
  EXPECT_EQ(format({"--out", folder + "/film.mp4"}), "mp4");
  EXPECT_EQ(format({"--out", folder + "/picture.png"}), "(none)");
  EXPECT_EQ(format({"--out", folder + "/film"}), "(none)");
  EXPECT_EQ(format({}), "(none)");
  EXPECT_EQ(format({"--out", folder + "/film", "--param", "format=gif"}), "gif");
  EXPECT_EQ(format({"--out", folder + "/film.gif", "--param", "format=gif"}), "gif");
  EXPECT_EQ(format({"--out", folder + "/film.apng", "--param", "format=png"}), "png") << "another name of it";
  EXPECT_EQ(format({"--out", folder + "/film.mp4", "--param", "format="}), "(none)");
  router_.header.Clear();
  const Ran wrong = Submit({"--out", folder + "/film.gif", "--param", "format=mp4", "--prompt", "x"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--param format=mp4 contradicts --out"));
  EXPECT_EQ(router_.header.prompt(), "") << "it was sent";
  std::filesystem::remove_all(folder);
}

TEST_F(SubmitTest, WhatIsNoPlainFileIsWrittenThroughAndNotReplaced) {
  const std::string in = ::testing::TempDir() + "/submit_in_through";
  std::ofstream(in, std::ios::binary) << "payload";
  // A pipe with a reader, as a device would be.
  const std::string pipe = ::testing::TempDir() + "/submit_pipe";
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  const Ran ran = Submit({"--file", in, "--out", pipe});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(std::filesystem::is_fifo(pipe)) << "it was replaced";
  char bytes[16] = {};
  EXPECT_EQ(read(reader, bytes, sizeof bytes), 7);
  EXPECT_STREQ(bytes, "payload");
  close(reader);
  std::filesystem::remove(pipe);

  const std::string target = ::testing::TempDir() + "/submit_target",
                    link = ::testing::TempDir() + "/submit_link";
  std::ofstream(target) << "old";
  std::filesystem::remove(link);
  std::filesystem::create_symlink(target, link);
  EXPECT_EQ(Submit({"--file", in, "--out", link}).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(ReadAll(target), "payload");

  const Ran standard = Submit({"--file", in, "--out", "-"});
  EXPECT_EQ(standard.code, 0) << standard.err;
  EXPECT_EQ(standard.out, "payload");
  EXPECT_THAT(Submit({"--file", in, "--out", "-", "--json"}).err, HasSubstr("both want standard output"));
  const Ran folder = Submit({"--file", in, "--out", ::testing::TempDir()});
  EXPECT_EQ(folder.code, 1);
  EXPECT_THAT(folder.err, HasSubstr("cannot be written"));
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

// A job that was refused at the door used to be told as "region    (, table 0.0)", "worker    by router ".
TEST_F(SubmitTest, ARefusalSaysWhyAndNothingThatIsNotKnown) {
  router_.outcome = "shed";
  router_.without_a_trace = true;
  const Ran shed = Submit({});
  EXPECT_THAT(shed.out, HasSubstr("shed: as scripted\nno worker began it\n"));
  EXPECT_THAT(shed.out, HasSubstr("remedy   the fleet has no room for it now"));
  for (const char* empty : {"region ", "worker  ", "table 0.0", "by router"})
    EXPECT_THAT(shed.out, Not(HasSubstr(empty)));
}

TEST_F(SubmitTest, MistakesAreNamedBeforeAnythingIsSent) {
  EXPECT_EQ(Submit({"--deadline", "5"}).code, 2);
  EXPECT_EQ(Submit({"--param", "novalue"}).code, 2);
  EXPECT_THAT(Submit({"--file", "/nowhere"}).err, HasSubstr("/nowhere: cannot be opened"));
}

// Whoever takes one port of Ringway for another is told which it is and which is wanted.
TEST_F(SubmitTest, AWrongPortIsNamed) {
  v1::Admin::Service admin;
  v1::Worker::Service worker;
  const runtime::GrpcServer controller = *runtime::GrpcServer::Start("127.0.0.1:0", {&admin});
  const runtime::GrpcServer gpu = *runtime::GrpcServer::Start("127.0.0.1:0", {&worker});
  const auto pages = *runtime::HttpServer::Start("127.0.0.1:0", {});
  struct Case {
    const char* verb;
    std::string address;
    const char* expected;
  };
  for (const Case& c :
       {Case{"submit", controller.address(), " is a controller's gRPC port; wanted is a router's"},
        Case{"submit", gpu.address(), " is a worker's gRPC port; wanted is a router's"},
        Case{"submit", pages->address(), " is an HTTP port"},
        Case{"status", server_.address(), " is a router's gRPC port; wanted is a controller's"},
        Case{"status", pages->address(), " is an HTTP port"}}) {
    const bool submit = std::string(c.verb) == "submit";
    const Ran ran = Ringway({c.verb, submit ? "--router" : "--controller", c.address});
    EXPECT_NE(ran.code, 0);
    EXPECT_THAT(ran.err, HasSubstr(c.address + c.expected)) << c.verb;
    EXPECT_THAT(ran.err, HasSubstr(submit ? "RINGWAY_ROUTER" : "RINGWAY_CONTROLLER"));
  }
}

TEST(SubmitNobodyTest, NobodyAnswersIsThree) {
  const Ran ran = Ringway({"submit", "--router", "127.0.0.1:1"});
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("RINGWAY_ROUTER"));
}

}  // namespace
}  // namespace ringway::cli
