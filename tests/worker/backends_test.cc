// The pure parts of the backends: drawn service times, upstream URLs, JSON bodies, the command line.
#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "worker/backends/http.h"
#include "worker/backends/service_draw.h"
#include "worker/settings.h"

namespace ringway::worker {
namespace {

using ::testing::HasSubstr;

struct Moments {
  double mean = 0;
  double cv = 0;
  double fails = 0;
};

Moments Measure(ServiceDraw draw) {
  constexpr int kDraws = 200'000;
  double sum = 0, squares = 0, fails = 0;
  for (int i = 0; i < kDraws; ++i) {
    const ServiceDraw::Job job = draw.Next();
    const double s = ToDoubleSeconds(job.service);
    sum += s;
    squares += s * s;
    fails += job.fails ? 1 : 0;
  }
  const double mean = sum / kDraws;
  return {mean, std::sqrt(squares / kDraws - mean * mean) / mean, fails / kDraws};
}

TEST(ServiceDrawTest, EachLawHasItsMoments) {
  ServiceDrawSettings settings{.mean = Seconds(2), .cv = 0.5, .fail_rate = 0.1};
  for (const auto& [law, cv] : {std::pair(ServiceLaw::kFixed, 0.0), std::pair(ServiceLaw::kExponential, 1.0),
                                std::pair(ServiceLaw::kLogNormal, 0.5)}) {
    settings.law = law;
    const Moments m = Measure(ServiceDraw(settings, "w"));
    EXPECT_NEAR(m.mean, 2, 0.02);
    EXPECT_NEAR(m.cv, cv, 0.02);
    EXPECT_NEAR(m.fails, 0.1, 0.005);
  }
}

TEST(ServiceDrawTest, SeedAndNameDecideAndTheFailRateShiftsNothing) {
  const ServiceDrawSettings settings;
  ServiceDrawSettings failing = settings, reseeded = settings;
  failing.fail_rate = 0.5;
  reseeded.seed = 2;
  ServiceDraw draw(settings, "a"), same(settings, "a"), faulty(failing, "a"), named(settings, "b"),
      seeded(reseeded, "a");
  for (int i = 0; i < 100; ++i) {
    const Duration service = draw.Next().service;
    EXPECT_EQ(service, same.Next().service);
    EXPECT_EQ(service, faulty.Next().service);
    EXPECT_NE(service, named.Next().service);
    EXPECT_NE(service, seeded.Next().service);
  }
}

TEST(OwnServiceTest, AJobMayBringItsTimeAndNothingElse) {
  EXPECT_EQ(*OwnService({{"seed", "1"}}), std::nullopt);
  EXPECT_EQ(*OwnService({{"service_seconds", "0.25"}}), Milliseconds(250));
  for (const char* wrong : {"", "soon", "0", "-1", "nan", "inf", "3601", "1 s"}) {
    const auto own = OwnService({{"service_seconds", wrong}});
    ASSERT_FALSE(own.ok()) << wrong;
    EXPECT_THAT(std::string(own.status().message()), HasSubstr("service_seconds"));
    EXPECT_THAT(std::string(own.status().message()), HasSubstr("at most 3600"));
  }
}

TEST(UpstreamUrlTest, ReadsTheUsualForms) {
  struct Case {
    const char* text;
    const char* host;
    const char* port;
    const char* target;
  };
  for (const Case& c :
       {Case{"http://127.0.0.1:8000/v1/images?x=1", "127.0.0.1", "8000", "/v1/images?x=1"},
        Case{"http://gpu.local", "gpu.local", "80", "/"}, Case{"http://[::1]:8000/", "::1", "8000", "/"},
        Case{"http://[::1]", "::1", "80", "/"}}) {
    const auto url = ParseUpstreamUrl(c.text);
    ASSERT_TRUE(url.ok()) << url.status();
    EXPECT_EQ(url->host, c.host);
    EXPECT_EQ(url->port, c.port);
    EXPECT_EQ(url->target, c.target);
  }
}

TEST(UpstreamUrlTest, RefusesTheRestAndShowsTheForm) {
  for (const char* text : {"", "127.0.0.1:8000", "https://127.0.0.1", "http://", "http:///x", "http://h:0/",
                           "http://h:99999/", "http://h:x/", "http://h/a b", "http://h/\r\nX-Evil: 1"}) {
    const auto url = ParseUpstreamUrl(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_THAT(std::string(url.status().message()), HasSubstr("write for example http://"));
  }
}

int ExitCodeOf(std::vector<const char*> flags) {
  flags.insert(flags.begin(), {"ringway-worker", "--name", "w", "--tier", "t", "--region", "r"});
  const auto settings = ParseCommandLine(static_cast<int>(flags.size()), flags.data());
  return std::holds_alternative<int>(settings) ? std::get<int>(settings) : -1;
}

TEST(CommandLineTest, EachMistakeEndsTheRunWithAMessage) {
  EXPECT_EQ(ExitCodeOf({}), -1);
  struct Case {
    std::vector<const char*> flags;
    const char* says;
  };
  const Case cases[] = {
      {{"--service-law", "gamma"}, "--service-law is 'gamma'; allowed are fixed, exponential, lognormal"},
      {{"--service-mean", "0"}, "--service-mean is 0; allowed are"},
      {{"--fail-rate", "1.5"}, "--fail-rate is 1.5; allowed are 0 to 1"},
      {{"--fail-rate", "nan"}, "--fail-rate is nan"},
      {{"--steps", "0"}, "--steps is 0; allowed are 1 to 10000"},
      {{"--service-cv", "-1"}, "--service-cv is -1"},
      {{"--result-bytes", "999999999999"}, "--result-bytes is 999999999999; allowed are 0 to 268435456"},
      {{"--drain-timeout", "-3"}, "--drain-timeout is -3"},
      {{"--log-level", "loud"}, "--log-level is 'loud'; allowed are debug"},
      {{"--backend", "http"}, "needs --http-upstream URL"},
      {{"--backend", "http", "--http-upstream", "ftp://x"}, "does not start with http://"},
      {{"--seed", "many"}, "--seed"},
      {{"--colour", "red"}, "--colour"},
  };
  for (const Case& c : cases) {
    ::testing::internal::CaptureStderr();
    EXPECT_GT(ExitCodeOf(c.flags), 0) << c.says;
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr(c.says));
  }
}

TEST(CommandLineTest, AnUnknownBackendIsAnErrorThatListsTheAllowedOnes) {
  Settings settings;
  settings.agent.identity.backend = "quantum";
  runtime::EventLoop loop("test");
  const auto backend = MakeBackend(settings, loop);
  EXPECT_EQ(backend.status().message(), "--backend is 'quantum'; allowed are synthetic, http, engine");
}

}  // namespace
}  // namespace ringway::worker
