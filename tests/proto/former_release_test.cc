// The release before this one and this one understand each other's messages: no number of a field, or of an
// enumeration, has another type or meaning than it had.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ringway/v1/control.pb.h"
#include "ringway/v1/controller_state.pb.h"
#include "ringway/v1/job.pb.h"
#include "ringway/v1/ledger.pb.h"
#include "ringway/v1/once.pb.h"
#include "ringway/v1/router_state.pb.h"
#include "ringway/v1/worker.pb.h"
#include "tests/proto/former_release.h"

namespace ringway {
namespace {

namespace pb = google::protobuf;

// What is called otherwise today and means what it meant: before, today.
const std::set<std::pair<std::string, std::string>>& RenamedFields() {
  static const std::set<std::pair<std::string, std::string>> renamed = {
      {"Directory.holders", "leaders"},  {"DispatchEntry.attempts_max", "offers_max"},
      {"TierReport.attempts", "offers"}, {"LedgerUp.ask", "acquire"},
      {"LedgerDown.beat", "heartbeat"},  {"OncePull.keeper", "replica"},
      {"HttpResponse.story", "trace"},   {"End.story", "trace"},
      {"Story.attempts", "offers"},      {"LedgerRefusal.Reason.NOT_HOLDER", "NOT_LEADER"},
  };
  return renamed;
}

std::string Short(const std::string& full) { return full.substr(std::string("ringway.v1.").size()); }

// Compares messages that are the same, whatever they are called, and all that they are made of.
class Comparison {
 public:
  void Compare(const pb::Descriptor& before, const pb::Descriptor& today) {
    if (!seen_.insert({before.full_name(), today.full_name()}).second) return;
    for (int i = 0; i < before.field_count(); ++i) CompareField(*before.field(i), today);
  }
  const std::vector<std::string>& findings() const { return findings_; }

 private:
  void Find(const std::string& place, const std::string& what) {
    findings_.push_back(absl::StrCat(place, ": ", what));
  }

  void CompareField(const pb::FieldDescriptor& before, const pb::Descriptor& today) {
    const std::string place = Short(before.full_name());
    const pb::FieldDescriptor* now = today.FindFieldByNumber(before.number());
    if (now == nullptr) {
      if (!today.IsReservedNumber(before.number())) Find(place, "is gone, and its number is not reserved");
      return;
    }
    CompareName(place, before.name(), now->name());
    if (before.type() != now->type()) return Find(place, "has another type");
    if (before.is_repeated() != now->is_repeated()) return Find(place, "has another label");
    if (before.is_packed() != now->is_packed()) Find(place, "is packed otherwise");
    const auto* in = before.real_containing_oneof();
    const auto* in_now = now->real_containing_oneof();
    if ((in == nullptr) != (in_now == nullptr)) Find(place, "is in a oneof, before or today, and not both");
    if (before.message_type() != nullptr) Compare(*before.message_type(), *now->message_type());
    if (before.enum_type() != nullptr) CompareEnum(*before.enum_type(), *now->enum_type());
  }

  void CompareEnum(const pb::EnumDescriptor& before, const pb::EnumDescriptor& today) {
    for (int i = 0; i < before.value_count(); ++i) {
      const pb::EnumValueDescriptor& value = *before.value(i);
      const std::string place = absl::StrCat(Short(before.full_name()), ".", value.name());
      const pb::EnumValueDescriptor* now = today.FindValueByNumber(value.number());
      if (now == nullptr) {
        Find(place, "is gone");
      } else {
        CompareName(place, value.name(), now->name());
      }
    }
  }

  void CompareName(const std::string& place, const std::string& before, const std::string& today) {
    if (before == today || RenamedFields().contains({place, today})) return;
    Find(place, absl::StrCat("is called ", today, ": has its number another meaning?"));
  }

  std::set<std::pair<std::string, std::string>> seen_;
  std::vector<std::string> findings_;
};

std::vector<std::string> FindingsBetween(const FormerRelease& former, const pb::DescriptorPool& today) {
  Comparison comparison;
  for (const std::string& root : FormerRelease::Roots()) {
    const pb::Descriptor* before = former.Find(root);
    const pb::Descriptor* now = today.FindMessageTypeByName(root);
    EXPECT_NE(before, nullptr) << root;
    EXPECT_NE(now, nullptr) << root;
    if (before != nullptr && now != nullptr) comparison.Compare(*before, *now);
  }
  return comparison.findings();
}

// Today's descriptors, with a fault: whoever changes a message makes it by mistake.
std::vector<std::string> FindingsWith(const std::string& message,
                                      const std::function<void(pb::DescriptorProto&)>& fault) {
  pb::DescriptorPool pool;
  for (const pb::FileDescriptor* file :
       {v1::RoutingTable::descriptor()->file(), v1::Hello::descriptor()->file(),
        v1::JobUp::descriptor()->file(), v1::LedgerUp::descriptor()->file(),
        v1::OnceRequest::descriptor()->file(), v1::WorkerState::descriptor()->file(),
        v1::RouterState::descriptor()->file(), v1::ControllerState::descriptor()->file()}) {
    pb::FileDescriptorProto text;
    file->CopyTo(&text);
    for (pb::DescriptorProto& one : *text.mutable_message_type()) {
      if (one.name() == message) fault(one);
    }
    EXPECT_NE(pool.BuildFile(text), nullptr) << file->name();
  }
  return FindingsBetween(FormerRelease(), pool);
}

pb::FieldDescriptorProto& FieldOf(pb::DescriptorProto& message, const std::string& name) {
  for (pb::FieldDescriptorProto& field : *message.mutable_field()) {
    if (field.name() == name) return field;
  }
  ADD_FAILURE() << name;
  return *message.mutable_field(0);
}

TEST(FormerReleaseTest, EachReadsWhatTheOtherWrites) {
  for (const std::string& finding : FindingsBetween(FormerRelease(), *pb::DescriptorPool::generated_pool())) {
    ADD_FAILURE() << finding;
  }
}

TEST(FormerReleaseTest, AChangedMessageIsFound) {
  EXPECT_TRUE(FindingsWith("Report", [](pb::DescriptorProto&) {}).empty());
  const auto one = [](const std::vector<std::string>& findings) {
    return findings.size() == 1 ? findings.front() : absl::StrCat(findings.size(), " findings");
  };
  EXPECT_EQ(one(FindingsWith("Report",
                             [](pb::DescriptorProto& report) {
                               FieldOf(report, "sequence").set_type(pb::FieldDescriptorProto::TYPE_SINT64);
                             })),
            "Report.sequence: has another type");
  EXPECT_EQ(one(FindingsWith("Hello",
                             [](pb::DescriptorProto& hello) {
                               FieldOf(hello, "region").set_label(pb::FieldDescriptorProto::LABEL_REPEATED);
                             })),
            "Hello.region: has another label");
  EXPECT_EQ(
      one(FindingsWith("Ack", [](pb::DescriptorProto& ack) { FieldOf(ack, "refusal").set_number(40); })),
      "Ack.refusal: is gone, and its number is not reserved");
  EXPECT_EQ(one(FindingsWith(
                "Welcome", [](pb::DescriptorProto& welcome) { FieldOf(welcome, "epoch").set_name("age"); })),
            "Welcome.epoch: is called age: has its number another meaning?");
  EXPECT_EQ(one(FindingsWith("LedgerRefusal",
                             [](pb::DescriptorProto& refusal) {
                               refusal.mutable_enum_type(0)->mutable_value(1)->set_number(9);
                             })),
            "LedgerRefusal.Reason.LINE_FULL: is gone");
}

TEST(FormerReleaseTest, WhatItDoesNotKnowIsMissing) {
  FormerRelease former;
  v1::RouterMessage message;
  message.mutable_report()->set_sequence(7);
  message.mutable_report()->set_view_epoch(3);
  v1::RouterMessage read;
  ASSERT_TRUE(read.ParseFromString(*former.Pass("ringway.v1.RouterMessage", message.SerializeAsString())));
  EXPECT_EQ(read.report().sequence(), 7u);
  EXPECT_EQ(read.report().view_epoch(), 0u);
  v1::LedgerUp wanted;
  wanted.mutable_hint_wanted()->set_number(1);
  v1::LedgerUp heard;
  ASSERT_TRUE(heard.ParseFromString(*former.Pass("ringway.v1.LedgerUp", wanted.SerializeAsString())));
  EXPECT_EQ(heard.kind_case(), v1::LedgerUp::KIND_NOT_SET);
  v1::OnceReply old_view;
  old_view.set_verdict(v1::OnceReply::OLD_VIEW);
  EXPECT_FALSE(former.Pass("ringway.v1.OnceReply", old_view.SerializeAsString()).has_value());
  old_view.set_verdict(v1::OnceReply::DONE);
  EXPECT_TRUE(former.Pass("ringway.v1.OnceReply", old_view.SerializeAsString()).has_value());
}

}  // namespace
}  // namespace ringway
