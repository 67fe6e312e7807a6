// KEDA's interface over real loopback gRPC, against a daemon that real streams report to.
#include "controller/daemon/scaler_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "controller/daemon/daemon.h"
#include "ringway/v1/admin.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/controller/test_router.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/http_get.h"

namespace ringway::controller {
namespace {

using externalscaler::ExternalScaler;
using ::testing::HasSubstr;

class ScalerServiceTest : public ::testing::Test {
 protected:
  ScalerServiceTest() {
    settings_.topology = folder_.File("world.yaml");
    settings_.state_dir = folder_.File("state");
    settings_.listen = settings_.http = settings_.scaler_listen = "127.0.0.1:0";
    settings_.log_level = runtime::LogLevel::kError;
    settings_.controller.epoch_period = settings_.controller.report_period = Milliseconds(50);
  }
  void Start(bool scaled = true) {
    std::string world = kPairWorld;
    if (scaled) {
      absl::StrReplaceAll({{"  guard: {drainPace", "  scaling: {startUp: 1m}\n  guard: {drainPace"}}, &world);
    }
    std::ofstream(settings_.topology) << world;
    auto started = ControllerDaemon::Start(settings_);
    ASSERT_TRUE(started.ok()) << started.status();
    daemon_ = *std::move(started);
    keda_ = ExternalScaler::NewStub(runtime::MakeChannel(daemon_->scaler_address()));
  }
  // Both regions are heard of, and planned.
  void Report() {
    for (const char* region : {"a", "b"}) {
      routers_.push_back(std::make_unique<TestRouter>(daemon_->grpc_address(), absl::StrCat("r", region),
                                                      region, settings_.token));
      routers_.back()->Hello();
    }
    ASSERT_TRUE(live::Eventually([&] {
      for (auto& router : routers_) router->Report("t", 4, 1, 0.25);
      externalscaler::IsActiveResponse reply;
      return Call(&ExternalScaler::Stub::IsActive, Ref("t", "a"), &reply).ok();
    }));
  }
  static externalscaler::ScaledObjectRef Ref(const std::string& tier, const std::string& region) {
    externalscaler::ScaledObjectRef ref;
    ref.set_name("gpu");
    ref.set_namespace_("prod");
    if (!tier.empty()) (*ref.mutable_scalermetadata())["tier"] = tier;
    if (!region.empty()) (*ref.mutable_scalermetadata())["region"] = region;
    return ref;
  }
  template <class Request, class Reply>
  grpc::Status Call(grpc::Status (ExternalScaler::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                 Reply*),
                    const Request& request, Reply* reply, ExternalScaler::Stub* stub = nullptr,
                    const std::string& token = "") {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    return ((stub != nullptr ? stub : keda_.get())->*method)(&context, request, reply);
  }
  grpc::Status Metrics(const externalscaler::ScaledObjectRef& ref,
                       externalscaler::GetMetricsResponse* reply) {
    externalscaler::GetMetricsRequest request;
    *request.mutable_scaledobjectref() = ref;
    request.set_metricname("s0-workers-wanted");
    return Call(&ExternalScaler::Stub::GetMetrics, request, reply);
  }

  live::ScratchFolder folder_;
  DaemonSettings settings_;
  std::unique_ptr<ControllerDaemon> daemon_;
  std::vector<std::unique_ptr<TestRouter>> routers_;
  std::unique_ptr<ExternalScaler::Stub> keda_;
};

TEST_F(ScalerServiceTest, TellsHowManyWorkersAreWanted) {
  Start();
  Report();
  externalscaler::GetMetricsResponse metrics;
  const grpc::Status status = Metrics(Ref("t", "a"), &metrics);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(metrics.metricvalues_size(), 1);
  EXPECT_EQ(metrics.metricvalues(0).metricname(), "s0-workers-wanted") << "as it was asked for";
  // Nobody is taken away in the first minutes: the four that run.
  EXPECT_EQ(metrics.metricvalues(0).metricvalue(), 4);
  EXPECT_EQ(metrics.metricvalues(0).metricvaluefloat(), 4);
  externalscaler::IsActiveResponse active;
  ASSERT_TRUE(Call(&ExternalScaler::Stub::IsActive, Ref("", "a"), &active).ok()) << "the only tier";
  EXPECT_TRUE(active.result());
  externalscaler::GetMetricSpecResponse spec;
  ASSERT_TRUE(Call(&ExternalScaler::Stub::GetMetricSpec, Ref("t", "a"), &spec).ok());
  ASSERT_EQ(spec.metricspecs_size(), 1);
  EXPECT_EQ(spec.metricspecs(0).metricname(), "workers-wanted");
  EXPECT_EQ(spec.metricspecs(0).targetsize(), 1) << "one worker is one replica";
  EXPECT_EQ(spec.metricspecs(0).targetsizefloat(), 1);
}

TEST_F(ScalerServiceTest, TheNumberIsInMetricsStatusAndExplain) {
  Start();
  Report();
  const std::string metric = "ringway_controller_region_workers_wanted{region=\"a\",tier=\"t\"}";
  EXPECT_TRUE(live::Eventually([&] { return live::MetricValue(daemon_->http_address(), metric) == 4; }));
  const auto admin = v1::Admin::NewStub(runtime::MakeChannel(daemon_->grpc_address()));
  grpc::ClientContext for_status, for_explain;
  v1::StatusReply fleet;
  ASSERT_TRUE(admin->Status(&for_status, v1::StatusRequest(), &fleet).ok());
  EXPECT_EQ(fleet.tiers(0).regions(0).workers_wanted(), 4u);
  v1::ExplainRequest why;
  why.set_region("a");
  v1::ExplainReply reply;
  ASSERT_TRUE(admin->Explain(&for_explain, why, &reply).ok());
  EXPECT_THAT(reply.lines(), testing::Contains(HasSubstr("4 workers wanted: demand")));
}

TEST_F(ScalerServiceTest, WhatIsNotKnownYetIsNoNumber) {
  Start();
  externalscaler::GetMetricsResponse metrics;
  const grpc::Status status = Metrics(Ref("t", "a"), &metrics);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("region 'a' has not been heard of yet"));
  EXPECT_EQ(metrics.metricvalues_size(), 0);
  externalscaler::GetMetricSpecResponse spec;
  EXPECT_TRUE(Call(&ExternalScaler::Stub::GetMetricSpec, Ref("t", "a"), &spec).ok())
      << "KEDA asks for this when the object is made, and not again";
}

TEST_F(ScalerServiceTest, UnknownNamesAreNamed) {
  Start();
  Report();
  struct Case {
    const char* tier;
    const char* region;
    const char* says;
  };
  for (const Case& c : {Case{"film", "a", "scalerMetadata.tier"}, Case{"t", "mars", "scalerMetadata.region"},
                        Case{"t", "", "scalerMetadata.region"}}) {
    externalscaler::GetMetricsResponse metrics;
    const grpc::Status status = Metrics(Ref(c.tier, c.region), &metrics);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND) << c.tier << " " << c.region;
    EXPECT_THAT(status.error_message(), HasSubstr(c.says));
    externalscaler::IsActiveResponse active;
    EXPECT_EQ(Call(&ExternalScaler::Stub::IsActive, Ref(c.tier, c.region), &active).error_code(),
              grpc::StatusCode::NOT_FOUND);
  }
}

TEST_F(ScalerServiceTest, ATierThatIsNotScaledSaysWhatIsMissing) {
  Start(/*scaled=*/false);
  externalscaler::GetMetricsResponse metrics;
  const grpc::Status status = Metrics(Ref("t", "a"), &metrics);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("tier 't' is not scaled: give it `spec.scaling`"));
}

TEST_F(ScalerServiceTest, TheOperatorsPortAsksForTheTokenAndThePortForAutoscalersShowsNothingElse) {
  settings_.token = "of-operators";
  Start();
  Report();
  const auto main_port = ExternalScaler::NewStub(runtime::MakeChannel(daemon_->grpc_address()));
  externalscaler::IsActiveResponse active;
  const auto ask = [&](ExternalScaler::Stub* stub, const std::string& token) {
    return Call(&ExternalScaler::Stub::IsActive, Ref("t", "a"), &active, stub, token).error_code();
  };
  EXPECT_EQ(ask(main_port.get(), ""), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(ask(main_port.get(), "of-operators"), grpc::StatusCode::OK);
  EXPECT_EQ(ask(keda_.get(), ""), grpc::StatusCode::OK);
  const auto admin = v1::Admin::NewStub(runtime::MakeChannel(daemon_->scaler_address()));
  grpc::ClientContext context;
  v1::StatusReply reply;
  EXPECT_EQ(admin->Status(&context, v1::StatusRequest(), &reply).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(ScalerServiceTest, AStreamTellsAtOnceAndEndsWithItsClientOrTheDaemon) {
  Start();
  Report();
  const auto open = [&](grpc::ClientContext& context, const std::string& region) {
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    return keda_->StreamIsActive(&context, Ref("t", region));
  };
  grpc::ClientContext first, second, wrong;
  externalscaler::IsActiveResponse reply;
  auto stream = open(first, "a");
  ASSERT_TRUE(stream->Read(&reply));
  EXPECT_TRUE(reply.result());
  first.TryCancel();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  auto unknown = open(wrong, "mars");
  EXPECT_FALSE(unknown->Read(&reply));
  EXPECT_EQ(unknown->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
  auto until_the_end = open(second, "a");
  ASSERT_TRUE(until_the_end->Read(&reply));
  routers_.clear();
  daemon_.reset();
  EXPECT_FALSE(until_the_end->Read(&reply));
  EXPECT_FALSE(until_the_end->Finish().ok());
}

}  // namespace
}  // namespace ringway::controller
