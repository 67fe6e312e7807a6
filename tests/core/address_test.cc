#include "core/address.h"

#include <string>

#include "gtest/gtest.h"

namespace ringway {
namespace {

TEST(AddressTest, HostAndPortCanBeCalled) {
  for (const char* address :
       {"10.0.0.5:7410", "127.0.0.1:1", "[::1]:7410", "[2001:db8::7]:65535", "[::ffff:10.0.0.5]:80",
        "localhost:7500", "gpu-7.eu-west-1.internal:7500", "my_service:7500", "host.example.:7500", "h:1"}) {
    EXPECT_TRUE(IsCallable(address)) << address;
  }
}

TEST(AddressTest, NothingElseCan) {
  for (const char* address : {"",
                              ":",
                              ":80",
                              "host",
                              "host:",
                              "host:0",
                              "host:65536",
                              "host:99999999999",
                              "host:080",
                              "host:-1",
                              "host: 80",
                              "host:80 ",
                              "unix:/run/docker.sock",
                              "unix:///run/x:80",
                              "unix:x:80",
                              "unix-abstract:x:80",
                              "dns:///host:80",
                              "dns://8.8.8.8/host:80",
                              "ipv4:10.0.0.1:80",
                              "ipv4:10.0.0.1:80,10.0.0.2:80",
                              "xds:///x:80",
                              "vsock:1:80",
                              "a,b:80",
                              "user@host:80",
                              "host/path:80",
                              "host:80/path",
                              "host%2f:80",
                              "::1:80",
                              "[::1:80",
                              "::1]:80",
                              "[]:80",
                              "[host]:80",
                              "[fe80::1%25eth0]:80",
                              "a..b:80",
                              ".a:80",
                              "host\n:80",
                              "h\xc3\xb6st:80",
                              "*:80"}) {
    EXPECT_FALSE(IsCallable(address)) << address;
  }
  EXPECT_FALSE(IsCallable(std::string("host\0:80", 8)));
  EXPECT_FALSE(IsCallable(std::string(254, 'a') + ":80"));
  EXPECT_FALSE(IsCallable(std::string(64, 'a') + ".b:80"));
}

}  // namespace
}  // namespace ringway
