// A controller that plays its part from a script, behind a real port, and the command line that asks it.
#ifndef RINGWAY_TESTS_CLI_SCRIPTED_ADMIN_H_
#define RINGWAY_TESTS_CLI_SCRIPTED_ADMIN_H_

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ringway/v1/admin.grpc.pb.h"
#include "runtime/grpc_server.h"
#include "tests/cli/run.h"

namespace ringway::cli {

// Keeps what it was asked last, and the token that came with it.
class ScriptedAdmin : public v1::Admin::Service {
 public:
  grpc::Status Status(grpc::ServerContext* context, const v1::StatusRequest*,
                      v1::StatusReply* reply) override {
    const auto& metadata = context->client_metadata();
    const auto it = metadata.find("authorization");
    authorization = it == metadata.end() ? "" : std::string(it->second.data(), it->second.size());
    reply->set_world("aws");
    reply->add_findings("eu-west-1 is stale");
    v1::TierStatus& fleet = *reply->add_tiers();
    fleet.set_tier("animate");
    fleet.add_regions()->set_region("us-east-1");
    fleet.mutable_regions(0)->set_workers(4);
    fleet.add_priorities("interactive");
    fleet.add_priorities("batch");
    for (const v1::TierStatus& more : further_tiers) *reply->add_tiers() = more;
    if (!canary_status.phase().empty()) *reply->mutable_canary() = canary_status;
    return answer;
  }
  grpc::Status GetTable(grpc::ServerContext*, const v1::GetTableRequest* request,
                        v1::RoutingTable*) override {
    tier = request->tier();
    return answer;
  }
  grpc::Status Explain(grpc::ServerContext*, const v1::ExplainRequest* request,
                       v1::ExplainReply* reply) override {
    if (request->region() != "us-east-1" && answer.ok()) {
      return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such region");
    }
    reply->add_lines("asked about " + request->region() + " of " + request->tier());
    return answer;
  }
  grpc::Status Drain(grpc::ServerContext*, const v1::DrainRegionRequest* request,
                     v1::ActionReply* reply) override {
    drain = *request;
    reply->set_done(does_it);
    reply->set_message("heard");
    return answer;
  }
  grpc::Status Pin(grpc::ServerContext*, const v1::PinRequest* request, v1::ActionReply* reply) override {
    pin = *request;
    reply->set_done(does_it);
    return answer;
  }
  grpc::Status SetThreshold(grpc::ServerContext*, const v1::SetThresholdRequest* request,
                            v1::ActionReply* reply) override {
    threshold = request->overload_threshold();
    threshold_asked = *request;
    reply->set_done(does_it);
    return answer;
  }
  grpc::Status SetMode(grpc::ServerContext*, const v1::SetModeRequest* request,
                       v1::ActionReply* reply) override {
    mode = request->mode();
    reply->set_done(does_it);
    return answer;
  }
  grpc::Status Rollback(grpc::ServerContext*, const v1::RollbackRequest* request,
                        v1::ActionReply* reply) override {
    rollback = *request;
    reply->set_done(does_it);
    return answer;
  }
  grpc::Status Canary(grpc::ServerContext*, const v1::CanaryRequest* request,
                      v1::ActionReply* reply) override {
    canary = *request;
    reply->set_done(does_it);
    return answer;
  }
  grpc::Status History(grpc::ServerContext*, const v1::HistoryRequest* request,
                       v1::HistoryReply* reply) override {
    history = *request;
    v1::PastTable* table = reply->add_tables();
    table->set_epoch(3);
    table->set_version(41);
    table->set_at_unix_us(1'795'435'200'000'000);
    table->set_cause(undrained ? "kim: undrain a" : "kim: drain a");
    for (const char* name : {"animate", "films"}) {
      v1::TierMoved* moved = table->add_moved();
      moved->set_tier(name);
      moved->set_rows(2);
      moved->set_share(0.25);
      moved->set_most("a -> b 0 % -> 50 %");
    }
    reply->add_notes("a file ends early");
    return answer;
  }
  grpc::Status Diff(grpc::ServerContext*, const v1::DiffRequest* request, v1::DiffReply* reply) override {
    diff = *request;
    reply->set_rows(1);
    reply->set_moved_rps(2);
    reply->set_moved_share(0.25);
    v1::RouteMoved* moved = reply->add_moved();
    moved->set_source("a");
    moved->set_priority("interactive");
    moved->set_target("b");
    moved->set_after(0.5);
    moved->set_moved_rps(2);
    moved->set_reason(v1::ROUTE_REASON_DRAIN);
    return answer;
  }
  grpc::Status DryRun(grpc::ServerContext*, const v1::DryRunRequest* request,
                      v1::DryRunReply* reply) override {
    dry_run = *request;
    for (const char* region : {"us-east-1", "us-east-2"}) {
      reply->mutable_table()->add_regions(region);
      reply->add_before()->set_region(region);
      reply->add_after()->set_region(region);
      reply->mutable_after()->rbegin()->set_demand_rps(5);
    }
    v1::TierTable* tier_table = reply->mutable_table()->add_tiers();
    tier_table->set_tier("animate");
    tier_table->add_priorities("interactive");
    v1::Route* away = tier_table->add_rows()->add_routes();
    away->set_target(1);
    away->set_fraction(0.1);
    reply->add_changes("a long sentence");
    if (!request->has_rollback_order() && request->order_case() == v1::DryRunRequest::ORDER_NOT_SET)
      return answer;
    reply->set_message(dry_run_message);
    reply->set_refused(!does_it);
    reply->set_mode(request->has_mode_order() ? request->mode_order().mode() : "active");
    return answer;
  }
  grpc::Status Audit(grpc::ServerContext*, const v1::AuditRequest* request, v1::AuditReply* reply) override {
    EXPECT_EQ(request->limit(), 7u);
    v1::AuditEntry* entry = reply->add_entries();
    entry->set_who("kim@host");
    entry->set_action("drain eu-west-1");
    return answer;
  }

  grpc::Status answer = grpc::Status::OK;
  bool does_it = true;
  std::string authorization, tier, mode;
  double threshold = 0;
  v1::DrainRegionRequest drain;
  v1::PinRequest pin;
  v1::RollbackRequest rollback;
  v1::CanaryRequest canary;
  v1::CanaryStatus canary_status;
  std::vector<v1::TierStatus> further_tiers;
  v1::SetThresholdRequest threshold_asked;
  v1::HistoryRequest history;
  std::atomic<bool> undrained = false;  // a watch goes on meanwhile
  v1::DiffRequest diff;
  v1::DryRunRequest dry_run;
  std::string dry_run_message = "it would be done";
};

class AdminTest : public ::testing::Test {
 protected:
  AdminTest() : server_(*runtime::GrpcServer::Start("127.0.0.1:0", {&admin_})) {}
  Ran Ask(std::vector<std::string> words) {
    words.insert(words.end(), {"--controller", server_.address()});
    return Ringway(std::move(words));
  }
  ScriptedAdmin admin_;
  runtime::GrpcServer server_;
};

}  // namespace ringway::cli

#endif  // RINGWAY_TESTS_CLI_SCRIPTED_ADMIN_H_
