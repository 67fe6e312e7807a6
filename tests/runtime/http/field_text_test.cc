#include "runtime/http/field_text.h"

#include <gtest/gtest.h>

#include <string>

namespace ringway::http {
namespace {

TEST(FieldTextTest, NamesAreTokens) {
  for (const char* name : {"Host", "X-Ringway-Worker", "!#$%&'*+-.^_`|~"})
    EXPECT_TRUE(IsFieldName(name)) << name;
  for (const char* name : {"", "a b", "a:", "a\r\nb", "\xc3\xa9", "(x)"})
    EXPECT_FALSE(IsFieldName(name)) << name;
}

TEST(FieldTextTest, ValuesHoldNoControlCharacterButTheTab) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string value = std::string("a") + static_cast<char>(byte);
    EXPECT_EQ(IsFieldValue(value), byte == '\t' || (byte >= 0x20 && byte != 0x7f)) << byte;
  }
  EXPECT_TRUE(IsFieldValue(""));
}

TEST(FieldTextTest, ARequestHeadIsOneHead) {
  EXPECT_TRUE(IsRequestHead("GET / HTTP/1.1\r\n"));
  EXPECT_TRUE(IsRequestHead("POST /v1?x=\xc3\xa9 HTTP/1.1\r\nHost: x\r\nX-Empty:\r\nA: b\tc\r\n"));
  for (const char* head :
       {"", "GET / HTTP/1.1", "GET / HTTP/1.0\r\n", "GET  HTTP/1.1\r\n", "GET / x HTTP/1.1\r\n",
        "G@T / HTTP/1.1\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /admin HTTP/1.1\r\n", "GET / HTTP/1.1\r\nno colon\r\n",
        "GET / HTTP/1.1\r\nA: b\rc\r\n", "GET / HTTP/1.1\r\nA: b\nc\r\n", "GET / HTTP/1.1\r\n: b\r\n",
        "GET / HTTP/1.1\r\nA : b\r\n"}) {
    EXPECT_FALSE(IsRequestHead(head)) << head;
  }
}

}  // namespace
}  // namespace ringway::http
