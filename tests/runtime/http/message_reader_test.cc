#include "runtime/http/message_reader.h"

#include <gtest/gtest.h>

#include "core/rng.h"
#include "tests/runtime/http/message_script.h"

namespace ringway::http {
namespace {

constexpr char kHost[] = "Host: a\r\n";

std::string Requests(const std::string& text) { return ReadAll<true>(text, text.size()); }
std::string Responses(const std::string& text) { return ReadAll<false>(text, text.size()); }

TEST(MessageReader, TellsHowABodyEnds) {
  EXPECT_EQ(Requests(std::string("GET /x HTTP/1.1\r\n") + kHost + "\r\n"), "[GET0 /x f0 l0 k|Host=a].");
  EXPECT_EQ(Requests(std::string("POST / HTTP/1.1\r\n") + kHost + "Content-Length: 3\r\n\r\nabc"),
            "[POST0 / f1 l3 k|Host=a|Content-Length=3]abc.");
  EXPECT_EQ(Requests(std::string("POST / HTTP/1.1\r\n") + kHost +
                     "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
            "[POST0 / f2 l0 k|Host=a|Transfer-Encoding=chunked]abc.");
  EXPECT_EQ(Responses("HTTP/1.1 200 OK\r\n\r\nto the end"), "[200  f3 l0 c]to the end.");
  EXPECT_EQ(Responses("HTTP/1.1 204 No\r\nContent-Length: 0\r\n\r\n"), "[204  f0 l0 k|Content-Length=0].");
  // Larger than any bound that a parser may have by default.
  EXPECT_EQ(Responses("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nabc"),
            "[200  f1 l99999999999 k|Content-Length=99999999999]abc!cut");
}

TEST(MessageReader, TellsWhoWantsToStay) {
  EXPECT_EQ(Requests(std::string("GET / HTTP/1.1\r\n") + kHost + "Connection: close\r\n\r\n"),
            "[GET0 / f0 l0 c|Host=a|Connection=close].");
  EXPECT_EQ(Requests("GET / HTTP/1.0\r\n\r\n"), "[GET0 / f0 l0 c].");
  EXPECT_EQ(Requests("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
            "[GET0 / f0 l0 k|Connection=keep-alive].");
}

TEST(MessageReader, DropsTrailersAndReadsTheNextMessage) {
  const std::string one = std::string("POST / HTTP/1.1\r\n") + kHost +
                          "Transfer-Encoding: chunked\r\n\r\n1;x=y\r\na\r\n0\r\nHost: evil\r\n\r\n";
  EXPECT_EQ(Requests(one + "GET /2 HTTP/1.1\r\n" + kHost + "\r\n"),
            "[POST0 / f2 l0 k|Host=a|Transfer-Encoding=chunked]a.[GET0 /2 f0 l0 k|Host=a].");
}

TEST(MessageReader, ReadsTheSameHoweverTheBytesAreCut) {
  const std::string text =
      std::string("\r\nPOST /1 HTTP/1.1\r\n") + kHost + "Content-Length: 10\r\n\r\n0123456789" +
      "POST /2 HTTP/1.1\r\n" + kHost +
      "Transfer-Encoding: chunked\r\n\r\n4;q=\"x\"\r\nwxyz\r\n10\r\n0123456789abcdef\r\n0\r\n"
      "T: 1\r\n\r\nGET /3 HTTP/1.1\r\nX: y\r\n" +
      kHost + "\r\n";
  const std::string whole = ReadAll<true>(text, text.size());
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '.'), 3) << whole;
  for (std::size_t cut = 1; cut < text.size(); ++cut) EXPECT_EQ(ReadAll<true>(text, cut), whole) << cut;
  // A buffer hardly larger than the largest head.
  for (std::size_t cut = 1; cut < 40; ++cut) EXPECT_EQ(ReadAll<true>(text, cut, 80), whole) << cut;
}

// Beast asserts on the fourth of the five bytes of a last chunk that is the first one, too.
TEST(MessageReader, ReadsAnEmptyChunkedBodyHoweverTheBytesAreCut) {
  for (const char* end : {"0\r\n\r\n", "000;a=b\r\n\r\n", "0\r\nT: 1\r\n\r\n"}) {
    const std::string text = std::string("POST /1 HTTP/1.1\r\n") + kHost +
                             "Transfer-Encoding: chunked\r\n\r\n" + end + "GET /2 HTTP/1.1\r\n" + kHost +
                             "\r\n";
    const std::string whole = ReadAll<true>(text, text.size());
    EXPECT_EQ(std::count(whole.begin(), whole.end(), '.'), 2) << whole;
    for (std::size_t cut = 1; cut < text.size(); ++cut) EXPECT_EQ(ReadAll<true>(text, cut), whole) << cut;
  }
}

TEST(MessageReader, SurvivesRandomChangesAndReadsThemTheSameHoweverCut) {
  const std::string sound = std::string("POST /1 HTTP/1.1\r\n") + kHost + "Content-Length: 4\r\n\r\nabcd" +
                            "POST /2 HTTP/1.1\r\n" + kHost +
                            "Transfer-Encoding: chunked\r\n\r\n4\r\nwxyz\r\n0\r\n\r\n";
  Rng rng(7, 1);
  int sound_still = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = sound;
    for (std::uint64_t changes = 1 + rng.Below(3); changes > 0; --changes) {
      const std::size_t at = rng.Below(text.size());
      switch (rng.Below(3)) {
        case 0:
          text[at] = static_cast<char>(rng.Below(256));
          break;
        case 1:
          text.erase(at, 1 + rng.Below(4));
          break;
        default:
          text.insert(at, 1, "\r\n :,0;"[rng.Below(7)]);
      }
      if (text.empty()) text = sound;
    }
    const std::string whole = ReadAll<true>(text, text.size());
    sound_still += whole.find('!') == std::string::npos;
    for (const std::size_t cut : {std::size_t{1}, std::size_t{7}, std::size_t{31}}) {
      ASSERT_EQ(Gist(ReadAll<true>(text, cut)), Gist(whole)) << text;
    }
  }
  EXPECT_GT(sound_still, 30);  // changes within bodies and names
  EXPECT_LT(sound_still, 2900);
}

TEST(MessageReader, BoundsWhatItWaitsFor) {
  const std::string head = std::string("POST / HTTP/1.1\r\n") + kHost;
  EXPECT_TRUE(ReadAll<true>(head + "X: " + std::string(5000, 'x'), 100).ends_with("!431"));
  std::string many = head;
  for (std::size_t i = 0; i <= kFieldsMax; ++i) many += "X: y\r\n";
  EXPECT_TRUE(ReadAll<true>(many + "\r\n", many.size()).ends_with("!431"));
  // The line of a chunk, and a trailer, that never end.
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_TRUE(ReadAll<true>(chunked + "1;" + std::string(5000, 'x'), 100).ends_with("!400"));
  EXPECT_TRUE(ReadAll<true>(chunked + "0\r\nX: " + std::string(5000, 'x'), 100).ends_with("!400"));
}

}  // namespace
}  // namespace ringway::http
