#include "runtime/http/head.h"

#include <gtest/gtest.h>

namespace ringway::http {
namespace {

TEST(Head, NamesDoNotMindCase) {
  EXPECT_TRUE(SameName("Content-Length", "content-LENGTH"));
  EXPECT_FALSE(SameName("Content-Length", "Content-Lengt"));
  EXPECT_FALSE(SameName("a", "b"));
  // Letters only: '@' and '`', '[' and '{' lie as far apart as 'A' and 'a'.
  EXPECT_FALSE(SameName("@", "`"));
  EXPECT_FALSE(SameName("[", "{"));
}

TEST(Head, ListsHaveMembers) {
  EXPECT_TRUE(ListHas("keep-alive, X-Hop", "x-hop"));
  EXPECT_TRUE(ListHas("  x-hop\t,", "X-Hop"));
  EXPECT_TRUE(ListHas("a,,b", "b"));
  EXPECT_FALSE(ListHas("x-hopper", "x-hop"));
  EXPECT_FALSE(ListHas("", "x"));
}

TEST(Head, FindsTheFirstOfAName) {
  Head head;
  head.fields = {{"A", "1"}, {"b", "2"}, {"B", "3"}};
  EXPECT_EQ(head.Value("B"), "2");
  EXPECT_EQ(head.Find("c"), nullptr);
  EXPECT_EQ(head.Value("c"), "");
}

}  // namespace
}  // namespace ringway::http
