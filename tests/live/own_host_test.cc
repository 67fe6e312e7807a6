// A server's port stays free for it while it is down, whatever other servers do.
#include "tests/live/own_host.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "tests/router/http/plain_worker.h"

namespace ringway::live {
namespace {

std::string HostOf(const std::string& address) { return address.substr(0, address.rfind(':')); }
std::string PortOf(const std::string& address) { return address.substr(address.rfind(':')); }

bool Nothing(const http_test::Request&, http_test::Wire&) { return false; }

TEST(OwnHostTest, NoTwoServersOfATestShareAHost) {
  std::set<std::string> hosts;
  for (int i = 0; i < 254; ++i) hosts.insert(OwnHost());
  EXPECT_EQ(hosts.size(), 254u);
  EXPECT_FALSE(hosts.contains("127.0.0.1"));
}

TEST(OwnHostTest, ThePortOfAServerThatIsDownIsItsOwnAlthoughAnotherOneListensThere) {
  std::string address;
  {
    const http_test::PlainWorker first(Nothing);
    address = first.address();
  }
  const http_test::PlainWorker other(Nothing, OwnHost() + PortOf(address));
  ASSERT_EQ(PortOf(other.address()), PortOf(address));
  ASSERT_NE(HostOf(other.address()), HostOf(address));
  const http_test::PlainWorker again(Nothing, address);
  EXPECT_EQ(again.address(), address);
  EXPECT_TRUE(http_test::Wire::To(address).open());
}

}  // namespace
}  // namespace ringway::live
