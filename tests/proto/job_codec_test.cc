#include "proto/job_codec.h"

#include <functional>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/table_codec.h"

namespace ringway::wire {
namespace {

using ::testing::HasSubstr;

v1::JobHeader Sound() {
  v1::JobHeader header;
  header.set_wire_version(kWireVersion);
  header.set_request_id("r-1");
  header.set_tier("animate");
  header.set_deadline_s(30);
  header.set_prompt("waves,\n slowly");
  (*header.mutable_parameters())["guidance"] = "7.5";
  return header;
}

TEST(JobCodecTest, ASoundHeaderPasses) { EXPECT_TRUE(CheckJobHeader(Sound()).ok()); }

TEST(JobCodecTest, EveryBrokenHeaderGetsAnErrorThatNamesTheField) {
  struct Case {
    const char* says;
    std::function<void(v1::JobHeader&)> breaks;
  };
  const Case cases[] = {
      {"wire_version is 0", [](auto& h) { h.set_wire_version(0); }},
      {"wire_version is 99", [](auto& h) { h.set_wire_version(99); }},
      {"request_id: is 257 bytes long, allowed are 256",
       [](auto& h) { h.set_request_id(std::string(257, 'x')); }},
      {"tenant: contains a control", [](auto& h) { h.set_tenant("a\r\nX-Admin: 1"); }},
      {"content_type: contains a control", [](auto& h) { h.set_content_type("image/png\n"); }},
      {"lease: is 300 bytes", [](auto& h) { h.set_lease(std::string(300, 'L')); }},
      {"offer: is 257 bytes long, allowed are 256", [](auto& h) { h.set_offer(std::string(257, 'a')); }},
      {"offer: contains a control", [](auto& h) { h.set_offer("r1/1\n"); }},
      {"prompt: is 65537 bytes", [](auto& h) { h.set_prompt(std::string(65537, 'p')); }},
      {"deadline_s: is -1", [](auto& h) { h.set_deadline_s(-1); }},
      {"deadline_s: is nan", [](auto& h) { h.set_deadline_s(std::numeric_limits<double>::quiet_NaN()); }},
      {"deadline_s: is inf", [](auto& h) { h.set_deadline_s(std::numeric_limits<double>::infinity()); }},
      {"age_s: is 1e+09", [](auto& h) { h.set_age_s(1e9); }},
      {"hops: is 17, allowed are 16", [](auto& h) { h.set_hops(17); }},
      {"parameters: has an entry without a name", [](auto& h) { (*h.mutable_parameters())[""] = "x"; }},
      {"parameters: a value: is 5000",
       [](auto& h) { (*h.mutable_parameters())["k"] = std::string(5000, 'v'); }},
      {"parameters: has 65 entries, allowed are 64",
       [](auto& h) {
         for (int i = 0; i < 64; ++i) (*h.mutable_parameters())["p" + std::to_string(i)] = "v";
       }},
  };
  for (const Case& c : cases) {
    v1::JobHeader header = Sound();
    c.breaks(header);
    const absl::Status status = CheckJobHeader(header);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.says;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.says));
  }
}

TEST(JobCodecTest, AWithdrawalNamesAnAttempt) {
  v1::WithdrawRequest request;
  EXPECT_THAT(CheckWithdraw(request).message(), HasSubstr("WithdrawRequest.offer: is 0 bytes long"));
  request.set_offer(std::string(257, 'a'));
  EXPECT_THAT(CheckWithdraw(request).message(), HasSubstr("is 257 bytes long, allowed are 1 to 256"));
  request.set_offer("oslo-0/1/7");
  EXPECT_TRUE(CheckWithdraw(request).ok());
}

}  // namespace
}  // namespace ringway::wire
