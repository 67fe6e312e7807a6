// The commands about single jobs and workers, against routers that play their parts from a script.
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/jobs_listed.h"
#include "cli/operations_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ringway/v1/operations.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/cli/run.h"

namespace ringway::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ScriptedRouter : public v1::Operations::Service {
 public:
  grpc::Status ListWorkers(grpc::ServerContext*, const v1::ListWorkersRequest* request,
                           v1::ListWorkersReply* reply) override {
    own = request->own();
    for (const char* name : {"oslo-w0", "oslo-w1"}) {
      v1::WorkerListing& worker = *reply->add_workers();
      worker.set_name(name);
      worker.set_tier("animate");
      worker.set_region("oslo");
      worker.set_host("10.0.0.7");
      worker.set_state("idle");
    }
    reply->mutable_workers(1)->set_state("draining");
    reply->mutable_workers(1)->set_drain_left_s(1740);
    reply->mutable_workers(1)->set_since_s(60);
    reply->mutable_workers(1)->set_job("order-1");
    return grpc::Status::OK;
  }
  grpc::Status ListJobs(grpc::ServerContext*, const v1::ListJobsRequest*, v1::ListJobsReply* reply) override {
    for (int i = 0; i < 3; ++i) {
      v1::JobListing& job = *reply->add_jobs();
      job.set_id(absl::StrCat("order-", i));
      job.set_state(i == 0 ? "running" : "waiting");
      job.set_age_s(10 - i);
    }
    reply->set_plain_requests(7);
    return grpc::Status::OK;
  }
  grpc::Status Cancel(grpc::ServerContext*, const v1::CancelRequest* request,
                      v1::CancelReply* reply) override {
    cancel = *request;
    reply->set_cancelled(1);
    return answer;
  }
  grpc::Status DrainWorkers(grpc::ServerContext*, const v1::DrainWorkersRequest* request,
                            v1::DrainWorkersReply* reply) override {
    drain = *request;
    for (const char* name : {"oslo-w0", "oslo-w1"}) {
      v1::WorkerOrdered& worker = *reply->add_workers();
      worker.set_name(name);
      worker.set_done(true);
      worker.set_draining(request->drain());
    }
    if (!broken.empty()) {
      reply->mutable_workers(1)->set_done(false);
      reply->mutable_workers(1)->set_error(broken);
    }
    return answer;
  }

  bool own = true;
  std::string broken;
  grpc::Status answer;
  v1::CancelRequest cancel;
  v1::DrainWorkersRequest drain;
};

class OperationsCommands : public ::testing::Test {
 protected:
  OperationsCommands() : server_(runtime::GrpcServer::Start("127.0.0.1:0", {&router_})) {}
  Ran Ask(std::vector<std::string> words) {
    words.insert(words.end(), {"--router", server_->address()});
    return Ringway(words);
  }
  ScriptedRouter router_;
  absl::StatusOr<runtime::GrpcServer> server_;
};

TEST_F(OperationsCommands, WorkersAreListedAndFiltered) {
  const Ran all = Ask({"workers"});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_FALSE(router_.own) << "the one router that is asked tells all that it knows";
  EXPECT_THAT(all.out,
              AllOf(HasSubstr("oslo-w0"), HasSubstr("draining, 29 min left"), HasSubstr("1 min  order-1")));
  EXPECT_THAT(Ask({"workers", "--state", "draining"}).out,
              AllOf(HasSubstr("oslo-w1"), Not(HasSubstr("oslo-w0"))));
  const Ran region = Ask({"workers", "--region", "olso"});
  EXPECT_EQ(region.code, 1);
  EXPECT_THAT(region.err, HasSubstr("did you mean \"oslo\"?"));
  EXPECT_THAT(Ask({"workers", "--tier", "animat"}).err, HasSubstr("did you mean \"animate\"?"));
  EXPECT_EQ(Ask({"workers", "--state", "lazy"}).code, 2);
  EXPECT_THAT(Ask({"workers", "--json"}).out,
              AllOf(HasSubstr("\"workers\""), HasSubstr("\"drain_left_s\": 1740")));
}

TEST_F(OperationsCommands, JobsAreListedTheOldestFirstAndBounded) {
  const Ran jobs = Ask({"jobs", "--limit", "2"});
  ASSERT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_LT(jobs.out.find("order-0"), jobs.out.find("order-1"));
  EXPECT_THAT(jobs.out, AllOf(Not(HasSubstr("order-2")), HasSubstr("and 1 younger jobs"),
                              HasSubstr("7 plain HTTP requests")));
  EXPECT_THAT(Ask({"jobs", "--state", "waiting"}).out, Not(HasSubstr("order-0")));
  EXPECT_THAT(Ask({"jobs", "--json"}).out, HasSubstr("\"plain_requests\": 7"));
  EXPECT_EQ(Ask({"jobs", "--region", "nowhere"}).out.substr(0, 12), "no such jobs");
}

TEST_F(OperationsCommands, ACancelSaysWhoAndWhyAndFailsWithWhatTheRouterSays) {
  EXPECT_EQ(Ask({"cancel", "order-1", "--why", "sent twice"}).out, "job order-1 is cancelled\n");
  EXPECT_EQ(router_.cancel.job(), "order-1");
  EXPECT_EQ(router_.cancel.by().why(), "sent twice");
  EXPECT_THAT(router_.cancel.by().who(), HasSubstr("@"));
  router_.answer = {grpc::StatusCode::NOT_FOUND, "no job here"};
  const Ran unknown = Ask({"cancel", "ordre-2"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("no job here"), HasSubstr("did you mean \"order-2\"?")));
  router_.answer = {grpc::StatusCode::UNAUTHENTICATED, "no token"};
  EXPECT_EQ(Ask({"cancel", "order-1"}).code, 4);
  EXPECT_EQ(Ask({"cancel"}).code, 2);
}

TEST_F(OperationsCommands, ADrainNamesExactlyOneOfRegionWorkerAndHost) {
  const Ran drained = Ask({"drain", "--host", "10.0.0.7", "--for", "30m", "--why", "fans"});
  EXPECT_EQ(drained.code, 0) << drained.err;
  EXPECT_THAT(drained.out, HasSubstr("oslo-w0 drains, serves again in 30 min"));
  EXPECT_EQ(router_.drain.host(), "10.0.0.7");
  EXPECT_EQ(router_.drain.for_s(), 1800);
  EXPECT_EQ(router_.drain.by().why(), "fans");
  EXPECT_TRUE(router_.drain.drain());
  EXPECT_EQ(Ask({"undrain", "--worker", "oslo-w1"}).code, 0);
  EXPECT_EQ(router_.drain.worker(), "oslo-w1");
  EXPECT_FALSE(router_.drain.drain());
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"drain"},
                                                {"drain", "oslo", "--worker", "oslo-w0"},
                                                {"drain", "--host", "h", "--worker", "oslo-w0"},
                                                {"undrain"}}) {
    const Ran ran = Ask(wrong);
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("exactly one"), HasSubstr("--worker"), HasSubstr("--host")));
  }
  EXPECT_THAT(Ask({"drain", "--worker", "w", "--share", "0.5"}).err, HasSubstr("--share: is for regions"));
  EXPECT_EQ(Ask({"drain", "--worker", "w", "--force"}).code, 2);
  EXPECT_EQ(Ask({"undrain", "--worker", "w", "--for", "3m"}).code, 2);
}

TEST_F(OperationsCommands, AWorkerThatDoesNotTakeTheOrderIsNamed) {
  router_.broken = "it cannot be reached";
  const Ran drained = Ask({"drain", "--host", "10.0.0.7"});
  EXPECT_EQ(drained.code, 1);
  EXPECT_THAT(drained.out, AllOf(HasSubstr("oslo-w0 drains\n"),
                                 HasSubstr("oslo-w1 did not take the order: it cannot be reached")));
}

TEST(OperationsUnreached, NobodyAnswersIsItsOwnExitCode) {
  const Ran ran = Ringway({"workers", "--router", "127.0.0.1:1"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("no router answers at 127.0.0.1:1"), HasSubstr("--router")));
}

TEST(JobsListedTest, AForwardedJobIsOneLineWithItsWorker) {
  v1::ListJobsReply entry, serving;
  v1::JobListing& sent = *entry.add_jobs();
  sent.set_id("far");
  sent.set_state("offering");
  sent.set_region("paris");
  sent.set_router("oslo-0");
  v1::JobListing& served = *serving.add_jobs();
  served = sent;
  served.set_forwarded(true);
  served.set_state("running");
  served.set_worker("paris-w0");
  *serving.add_jobs() = served;
  serving.mutable_jobs(1)->set_id("its-entry-is-silent");
  const JobsListed listed = Listed({entry, serving});
  ASSERT_EQ(listed.jobs.size(), 2u);
  EXPECT_EQ(listed.jobs[0].id(), "far");
  EXPECT_EQ(listed.jobs[0].router(), "oslo-0");
  EXPECT_EQ(listed.jobs[0].state(), "running");
  EXPECT_EQ(listed.jobs[0].worker(), "paris-w0");
  EXPECT_EQ(listed.jobs[1].id(), "its-entry-is-silent");
}

}  // namespace
}  // namespace ringway::cli
