// Messages of a router's stream: what the node hears of each, and how old views are said to be.
#include "controller/wire/control_codec.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "controller/wire/report_codec.h"
#include "proto/table_codec.h"

namespace ringway::controller {
namespace {

Fleet OneRegion() {
  Fleet fleet;
  Region region;
  region.name = "paris";
  fleet.world.regions.push_back(region);
  fleet.world.rtt = RttMatrix(1);
  return fleet;
}

v1::RouterMessage HelloOf(const std::string& region) {
  v1::RouterMessage message;
  message.mutable_hello()->set_wire_version(wire::kWireVersion);
  message.mutable_hello()->set_router("router-a");
  message.mutable_hello()->set_region(region);
  message.mutable_hello()->set_address("a:7410");
  return message;
}

template <class Event, class Kind>
const Event* Heard(const NodeEvent& event) {
  const auto* kind = std::get_if<Kind>(&event);
  return kind != nullptr ? std::get_if<Event>(kind) : nullptr;
}

TEST(ControllerControlCodec, EachMessageIsItsEvent) {
  const Fleet fleet = OneRegion();
  const NodeEvent hello = ReadMessage(5, HelloOf("paris"), fleet);
  const auto* connected = Heard<RouterConnected, ControllerEvent>(hello);
  ASSERT_NE(connected, nullptr);
  EXPECT_EQ(connected->stream, 5u);
  EXPECT_EQ(connected->hello.router, "router-a");
  v1::RouterMessage message;
  *message.mutable_report() = EncodeReport({.sequence = 3, .tiers = {}, .workers = {}, .table = {}}, fleet);
  const NodeEvent report = ReadMessage(5, message, fleet);
  const auto* reported = Heard<RouterReported, ControllerEvent>(report);
  ASSERT_NE(reported, nullptr);
  EXPECT_EQ(reported->report.sequence, 3u);
  message.mutable_ack()->set_epoch(2);
  message.mutable_ack()->set_version(8);
  message.mutable_ack()->set_refusal(std::string(9000, 'x'));
  const NodeEvent ack = ReadMessage(5, message, fleet);
  const auto* acked = Heard<RouterAcked, ControllerEvent>(ack);
  ASSERT_NE(acked, nullptr);
  EXPECT_EQ(acked->version, (TableVersion{2, 8}));
  EXPECT_FALSE(acked->active);
  EXPECT_LT(acked->refusal.size(), 1000u);
}

TEST(ControllerControlCodec, WhatCannotBeReadIsRefused) {
  const Fleet fleet = OneRegion();
  const NodeEvent hello = ReadMessage(5, HelloOf("atlantis"), fleet);
  const auto* refused = Heard<MessageRefused, StreamEvent>(hello);
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->stream, 5u);
  EXPECT_TRUE(refused->hello);
  EXPECT_NE(refused->why.find("atlantis"), std::string::npos);
  // As a message of a later release looks from here.
  const NodeEvent none = ReadMessage(6, v1::RouterMessage(), fleet);
  refused = Heard<MessageRefused, StreamEvent>(none);
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->stream, 6u);
  EXPECT_FALSE(refused->hello);
}

TEST(ControllerControlCodec, ADirectorySaysHowLongAgoViewsWereLeft) {
  Directory directory;
  const Time left = FromUnixSeconds(1000);
  directory.before.push_back({.number = {1, 1}, .routers = {"router-a"}, .left = left});
  const v1::Directory message = EncodeDirectoryAt(left + Seconds(42), directory, OneRegion(), RegionId(0));
  ASSERT_EQ(message.before_size(), 1);
  EXPECT_EQ(message.before(0).left_s(), 42);
}

TEST(ControllerControlCodec, AWelcomeSaysHowOftenToReport) {
  const v1::Welcome welcome = EncodeWelcome(6, {.name = "c", .report_period = Milliseconds(500)});
  EXPECT_EQ(welcome.wire_version(), wire::kWireVersion);
  EXPECT_EQ(welcome.epoch(), 6u);
  EXPECT_EQ(welcome.report_period_s(), 0.5);
  EXPECT_EQ(welcome.controller(), "c");
  EXPECT_TRUE(welcome.records_orders());
}

}  // namespace
}  // namespace ringway::controller
