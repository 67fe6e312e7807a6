// Which hosts a request may name where everybody may ask.
#include "runtime/http/site_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ringway::http {
namespace {

bool Known(const std::string& host, const std::vector<std::string>& names = {"films.example"}) {
  Head head;
  head.fields.push_back({"Host", host});
  return IsKnownHost(head, names);
}

TEST(KnownHostTest, AnAddressIsNobodysName) {
  for (const char* host :
       {"127.0.0.1", "10.0.0.7:7401", "[::1]", "[::1]:7401", "[fe80::1%25lo]:80", "[2001:db8::7]:7401"}) {
    EXPECT_TRUE(Known(host)) << host;
  }
}

TEST(KnownHostTest, NamesAreThoseThatAreGiven) {
  for (const char* host : {"localhost", "LocalHost:7401", "films.example", "FILMS.example:7401"}) {
    EXPECT_TRUE(Known(host)) << host;
  }
  for (const char* host : {"", ":7401", "rebind.example", "films.example.evil", "1.2.3", "1.2.3.4.evil",
                           "0x7f.1", "[", "[]", "[::g]"}) {
    EXPECT_FALSE(Known(host)) << host;
  }
}

}  // namespace
}  // namespace ringway::http
