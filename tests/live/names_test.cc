// Words that strangers choose and that end up in headers: nothing of them ends a router, on real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/table_codec.h"
#include "ringway/v1/once.grpc.pb.h"
#include "router/daemon/once/once_options.h"
#include "runtime/grpc_server.h"
#include "tests/deploy/shell.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"
#include "tests/live/job_call.h"
#include "tests/live/scripted_worker.h"

namespace ringway::live {
namespace {

using ::testing::HasSubstr;

void Finish(WorkerStream& stream, const std::string& worker) { stream.Write(DoneMessage(worker)); }

class NamesTest : public ::testing::Test {
 protected:
  // A router with one worker that signs its answers with `signature`.
  void Start(const std::string& worker_name, const std::string& signature) {
    worker_.emplace(WorkerScript{.name = worker_name,
                                 .run = [signature](WorkerStream& stream, const v1::JobHeader&,
                                                    const std::string&) { Finish(stream, signature); }});
    router_.emplace(folder_, DaemonSpec{.program = "ringway-router",
                                        .name = "r1",
                                        .arguments = {"--name", "r1", "--region", "home", "--worker",
                                                      worker_->address()}});
    channel_ = runtime::MakeChannel(router_->grpc());
    ASSERT_TRUE(Eventually([&] {
      return MetricValue(router_->http(), "ringway_router_workers{tier=\"animate\"}") == 1.0;
    })) << router_->Log();
  }
  void TearDown() override { router_.reset(); }  // before its worker

  JobAnswer Submit(const v1::JobHeader& header) {
    const auto stub = v1::Ingress::NewStub(channel_);
    return JobCall::ToRouter(*stub).Send(header, "photo").Await();
  }
  // The job is answered, and the router is there for the next one.
  JobAnswer ExpectServed() {
    const JobAnswer answer = Submit(Header("animate", "job-1"));
    EXPECT_EQ(answer.outcome(), "done") << answer.status.error_message() << answer.end.message();
    EXPECT_TRUE(router_->running()) << router_->Log();
    return answer;
  }

  ScratchFolder folder_;
  std::optional<ScriptedWorker> worker_;
  std::optional<DaemonProcess> router_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(NamesTest, AReasonOfAnotherRouterIsEscapedInTheTrailer) {
  Start("w1", "w1");
  const auto peer = v1::Peer::NewStub(channel_);
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
  const auto stream = peer->Forward(&context);
  v1::JobUp up;
  *up.mutable_header() = Header("animate", "forwarded");
  up.mutable_header()->set_hops(1);
  up.mutable_header()->set_source_region("home");
  up.mutable_header()->set_route_reason("ring \xc3\xa9");
  stream->Write(up);
  stream->WritesDone();
  v1::JobDown down;
  while (stream->Read(&down)) continue;
  const grpc::Status status = stream->Finish();
  ASSERT_TRUE(router_->running()) << "the router ended: " << router_->Log();
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(down.end().outcome(), "done") << down.end().message();
  const auto& trailers = context.GetServerTrailingMetadata();
  const auto reason = trailers.find("ringway-reason");
  ASSERT_NE(reason, trailers.end());
  EXPECT_EQ(std::string(reason->second.data(), reason->second.size()), "ring %C3%A9");
}

TEST_F(NamesTest, AWorkerOfAnotherReleaseMayHaveAnyName) {
  Start("w-\xc3\xa9", "w-\xc3\xa9");
  EXPECT_EQ(ExpectServed().trailer("ringway-worker"), "w-%C3%A9");
}

TEST_F(NamesTest, AControlByteInAWorkersAnswerIsEscaped) {
  Start("w1", "lu\x01re");
  EXPECT_EQ(ExpectServed().trailer("ringway-worker"), "lu%01re");
}

TEST_F(NamesTest, AWorkersLongNameLeavesRoomForTheRestOfTheTrailers) {
  Start("w1", std::string(20'000, 'w'));
  EXPECT_EQ(ExpectServed().trailer("ringway-worker").size(), 256u);
}

TEST_F(NamesTest, TheRecordOfAKeyMayHoldAnyStory) {
  Start("w1", "w1");
  v1::JobHeader header = Header("animate", "keyed");
  header.set_idempotency_key("order-1");
  const auto wish = router::WishOf(header, router::HashOn(router::kFnvBasis, "photo"));
  v1::OnceRequest ask;
  ask.set_wire_version(wire::kWireVersion);
  v1::OnceRecord& record = *ask.mutable_settle()->mutable_record();
  record.set_key(wish->key);
  record.set_fingerprint(wish->fingerprint);
  record.mutable_claim()->set_round(1);
  record.set_done(true);
  record.set_kept(true);
  record.set_remaining_s(60);
  v1::End end = DoneMessage("\xc3\xa9").end();
  end.mutable_trace()->set_router("r\x02");
  end.mutable_trace()->set_region("\xe6\x9d\xb1");
  record.set_end(end.SerializeAsString());
  const auto once = v1::Once::NewStub(channel_);
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
  context.set_wait_for_ready(true);
  v1::OnceReply reply;
  const grpc::Status settled = once->Ask(&context, ask, &reply);
  ASSERT_TRUE(settled.ok()) << settled.error_message();
  ASSERT_EQ(reply.verdict(), v1::OnceReply::OK);
  const JobAnswer answer = Submit(header);
  ASSERT_TRUE(router_->running()) << "the router ended: " << router_->Log();
  EXPECT_EQ(answer.outcome(), "done") << answer.end.message();
  EXPECT_EQ(answer.trailer("ringway-worker"), "%C3%A9");
  EXPECT_EQ(answer.trailer("ringway-router"), "r%02");
  EXPECT_EQ(answer.trailer("ringway-region"), "%E6%9D%B1");
}

TEST_F(NamesTest, AJobsOwnWordsAreRefusedByName) {
  Start("w1", "w1");
  v1::JobHeader header = Header("animate", "job \xc3\xa9");
  JobAnswer answer = Submit(header);
  EXPECT_EQ(answer.outcome(), "rejected");
  EXPECT_THAT(answer.end.message(), HasSubstr("request_id: is 'job %C3%A9'"));
  header = Header("animate", "job");
  header.set_content_type("image/png\x7f");
  answer = Submit(header);
  EXPECT_EQ(answer.outcome(), "rejected");
  EXPECT_THAT(answer.end.message(), HasSubstr("content_type"));
  // Nothing is made of these but what people read.
  header = Header("animate", "job-2");
  header.set_tenant("Z\xc3\xbcrich");
  header.set_idempotency_key("Auftrag \xc3\xa9");
  EXPECT_EQ(Submit(header).outcome(), "done");
}

TEST(NamesAtTheStart, AreRefusedWithWhatIsAllowed) {
  const std::string bin = RINGWAY_BIN_DIR;
  for (const std::string& command :
       {bin + "/ringway-router --name 'zürich-1' --region home",
        bin + "/ringway-router --name r1 --region 'zürich-1'",
        bin + "/ringway-worker --name 'zürich-1' --tier animate --region home",
        bin + "/ringway-worker --name w1 --tier animate --region home --model 'zürich-1'",
        bin + "/ringway-router --name $'z\\r\\nx: y' --region home"}) {
    const Ran ran =
        RunShell("timeout 10 bash -c \"" + command + " --listen 127.0.0.1:0 --http 127.0.0.1:0\"");
    EXPECT_EQ(ran.code, 2) << command << "\n" << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("printable ASCII")) << command;
  }
  const Ran ran = RunShell("timeout 10 " + bin + "/ringway-router --name 'zürich-1' --region home");
  EXPECT_THAT(ran.output, HasSubstr("--name is 'z%C3%BCrich-1': byte 2 is 0xc3"));
}

}  // namespace
}  // namespace ringway::live
