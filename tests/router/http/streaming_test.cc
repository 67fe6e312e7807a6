// Bodies that are larger than any buffer: they flow both ways, and what is slow holds back what is fast.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "tests/live/eventually.h"
#include "tests/router/http/plain_worker.h"
#include "tests/router/http/pool_under_test.h"
#include "tests/router/http/raw_client.h"

namespace ringway::http_test {
namespace {

constexpr std::size_t kMebi = std::size_t{1} << 20;
// Of a body of 64 MiB. The address sanitizer keeps what was freed for a while.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kHeldMax = 48 * kMebi;
#else
constexpr std::size_t kHeldMax = 16 * kMebi;
#endif

// Memory that the process has held at most, in bytes.
std::size_t PeakMemory(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  while (status >> word) {
    std::size_t kibi = 0;
    if (word == "VmHWM:" && status >> kibi) return kibi << 10;
  }
  return 0;
}

std::string Pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + i * 7 % 23 + i / 4096 % 3);
  return text;
}

TEST(HttpStreams, CarryLargeBodiesUnchangedInBothFramings) {
  PlainWorker worker(Echo());
  PoolUnderTest pool({worker.address()});
  const std::string body = Pattern(3 * kMebi + 17);
  const auto answer = Ask(pool.door(), "POST", "", body);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->body == body);

  Wire wire = Wire::To(pool.door());
  ASSERT_TRUE(wire.Send("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"));
  std::thread sender([&] {
    for (std::size_t at = 0; at < body.size(); at += 70'001) {
      const std::string piece = body.substr(at, 70'001);
      char size[20];
      std::snprintf(size, sizeof(size), "%zx\r\n", piece.size());
      wire.Send(size + piece + "\r\n");
    }
    wire.Send("0\r\n\r\n");
  });
  const auto chunked = ReadAnswer(wire);
  sender.join();
  ASSERT_TRUE(chunked);
  EXPECT_TRUE(chunked->body == body);
}

TEST(HttpStreams, HoldBackAFastClientInFrontOfASlowWorker) {
  std::atomic<bool> reads{false};
  PlainWorker worker([&](const Request& request, Wire& wire) {
    live::Eventually([&] { return reads.load(); });
    return Respond(wire, 200, std::to_string(ReadBody(request, wire).size()));
  });
  PoolUnderTest pool({worker.address()});
  const std::size_t before = PeakMemory(pool.router().pid());
  Wire wire = Wire::To(pool.door());
  ASSERT_TRUE(wire.Send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(64 * kMebi) +
                        "\r\n\r\n"));
  std::atomic<std::size_t> sent{0};
  std::thread sender([&] {
    const std::string piece(kMebi, 'x');
    for (int i = 0; i < 64 && wire.Send(piece); ++i) sent += kMebi;
  });
  // The client stands still long before it has sent all.
  std::size_t last = 1;
  live::Eventually([&] {
    absl::SleepFor(Milliseconds(200));
    return std::exchange(last, sent.load()) == sent;
  });
  EXPECT_LT(sent, 32 * kMebi);
  reads = true;
  sender.join();
  const auto answer = ReadAnswer(wire);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, std::to_string(64 * kMebi));
  EXPECT_LT(PeakMemory(pool.router().pid()) - before, kHeldMax);
}

TEST(HttpStreams, HoldBackAFastWorkerInFrontOfASlowClient) {
  std::atomic<std::size_t> sent{0};
  PlainWorker worker([&](const Request&, Wire& wire) {
    wire.Send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(64 * kMebi) + "\r\n\r\n");
    const std::string piece(kMebi, 'y');
    for (int i = 0; i < 64 && wire.Send(piece); ++i) sent += kMebi;
    return true;
  });
  PoolUnderTest pool({worker.address()});
  const std::size_t before = PeakMemory(pool.router().pid());
  Wire wire = Wire::To(pool.door(), 64 << 10);
  ASSERT_TRUE(wire.Send("GET / HTTP/1.1\r\nHost: test\r\n\r\n"));
  std::size_t last = 1;
  live::Eventually([&] {
    absl::SleepFor(Milliseconds(200));
    return std::exchange(last, sent.load()) == sent;
  });
  EXPECT_LT(sent, 32 * kMebi);
  const auto answer = ReadAnswer(wire);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body.size(), 64 * kMebi);
  EXPECT_LT(PeakMemory(pool.router().pid()) - before, kHeldMax);
}

TEST(HttpStreams, DeliverEachPieceWhenItComes) {
  std::atomic<int> read{0};
  PlainWorker worker([&](const Request&, Wire& wire) {
    wire.Send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 5; ++i) {
      wire.Send("7\r\nstep " + std::to_string(i) + "\n\r\n");
      // The next step is made when the client has seen this one.
      live::Eventually([&] { return read > i; });
    }
    return wire.Send("0\r\n\r\n");
  });
  PoolUnderTest pool({worker.address()});
  Wire wire = Wire::To(pool.door());
  ASSERT_TRUE(wire.Send("GET / HTTP/1.1\r\nHost: test\r\n\r\n"));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(wire.ReadUntil("step " + std::to_string(i) + "\n\r\n")) << i;
    ++read;
  }
  EXPECT_TRUE(wire.ReadUntil("0\r\n\r\n"));
}

TEST(HttpStreams, SendAKeptRequestToAnotherWorkerAndALargeOneNot) {
  PlainWorker busy([](const Request& request, Wire& wire) {
    const std::string body = ReadBody(request, wire);
    return body == "warm" ? Respond(wire, 200, "") : Respond(wire, 503, "busy");
  });
  PlainWorker free(Echo());
  PoolUnderTest pool({busy.address(), free.address()}, "  limits: {requestKeepBytes: 100000}\n");
  // Whoever is asked first, a request that is kept whole reaches the one that serves.
  const std::string small(90'000, 's');
  for (int i = 0; i < 4; ++i) {
    const auto kept = Ask(pool.door(), "POST", "", small);
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->status, 200);
    EXPECT_TRUE(kept->body == small);
  }
  // One that is not kept belongs to the worker that has it: served, or refused with the reason.
  const auto large = Ask(pool.door(), "POST", "", std::string(4 * kMebi, 'l'));
  ASSERT_TRUE(large);
  if (large->status != 200) {
    EXPECT_EQ(large->status, 502);
    EXPECT_NE(large->body.find("too large to be kept"), std::string::npos) << large->body;
  }
}

}  // namespace
}  // namespace ringway::http_test
