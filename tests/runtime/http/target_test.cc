#include "runtime/http/target.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/runtime/http/message_script.h"

namespace ringway::http {
namespace {

Head HeadOf(std::string_view method, std::string_view target, std::string_view host) {
  Head head;
  head.method = method;
  head.target = target;
  if (!host.empty()) head.fields = {{"Accept", "*/*"}, {"host", host}};
  return head;
}

TEST(TargetTest, TheAuthorityOfAnAbsoluteTargetReplacesTheHost) {
  const struct {
    std::string_view method, target, path, host;
  } cases[] = {
      {"GET", "http://a.example/x?y=1", "/x?y=1", "a.example"},
      {"GET", "HTTPS://a.example:8443/", "/", "a.example:8443"},
      {"GET", "http://[::1]:80", "/", "[::1]:80"},
      {"OPTIONS", "http://a.example", "*", "a.example"},
      {"GET", "/x", "/x", "b.example"},
      {"OPTIONS", "*", "*", "b.example"},
      {"GET", "/http://a.example/", "/http://a.example/", "b.example"},
  };
  for (const auto& c : cases) {
    Head head = HeadOf(c.method, c.target, "b.example");
    ASSERT_TRUE(ResolveTarget(head)) << c.target;
    EXPECT_EQ(head.target, c.path) << c.target;
    EXPECT_EQ(head.Value("Host"), c.host) << c.target;
    EXPECT_EQ(head.fields.size(), 2u);
  }
  Head without = HeadOf("GET", "http://a.example/", "");
  ASSERT_TRUE(ResolveTarget(without));
  EXPECT_EQ(without.Value("Host"), "a.example");
}

TEST(TargetTest, AnAbsoluteTargetWithoutAGoodHostIsRefused) {
  for (const char* target : {"http://", "http:///x", "http://:80/", "http://user@a.example/", "https://?x"}) {
    Head head = HeadOf("GET", target, "b.example");
    EXPECT_FALSE(ResolveTarget(head)) << target;
  }
}

TEST(TargetTest, EveryReaderOfRequestsDoesIt) {
  EXPECT_EQ(ReadAll<true>("GET http://a.example/x HTTP/1.1\r\nHost: b.example\r\n\r\n", 1000),
            "[GET0 /x f0 l0 k|Host=a.example].");
  EXPECT_EQ(ReadAll<true>("GET http://u@a.example/x HTTP/1.1\r\nHost: b.example\r\n\r\n", 1000), "!400");
}

}  // namespace
}  // namespace ringway::http
