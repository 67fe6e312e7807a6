#include "runtime/address.h"

#include "gtest/gtest.h"

namespace ringway::runtime {
namespace {

TEST(AddressTest, ParsesHostsOfAllKinds) {
  struct Case {
    const char* text;
    const char* host;
    int port;
    bool loopback;
  };
  for (const Case& c :
       {Case{"127.0.0.1:7400", "127.0.0.1", 7400, true}, Case{"[::1]:0", "::1", 0, true},
        Case{"localhost:1", "localhost", 1, true}, Case{"0.0.0.0:7400", "0.0.0.0", 7400, false},
        Case{"10.1.2.3:65535", "10.1.2.3", 65535, false}, Case{"[::]:5", "::", 5, false},
        Case{"router.example:7410", "router.example", 7410, false}}) {
    const auto address = ParseAddress(c.text);
    ASSERT_TRUE(address.ok()) << c.text << ": " << address.status();
    EXPECT_EQ(address->host, c.host);
    EXPECT_EQ(address->port, c.port);
    EXPECT_EQ(IsLoopback(*address), c.loopback) << c.text;
    EXPECT_EQ(address->ToString(), c.text);
  }
}

TEST(AddressTest, RefusesWhatIsNotHostPort) {
  for (const char* text : {"", ":", ":7400", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
                           "127.0.0.1:-1", "::1:7400"}) {
    const auto address = ParseAddress(text);
    EXPECT_FALSE(address.ok()) << text;
    EXPECT_NE(address.status().message().find("host:port"), absl::string_view::npos);
  }
}

}  // namespace
}  // namespace ringway::runtime
