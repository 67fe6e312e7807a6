// What a router adds to a job's header for the next hop, and what it does not pass on.
#include "router/wire/job_header.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/router/two_workers.h"

namespace ringway::router {
namespace {

TEST(RouterJobHeader, NoTwoAttemptsHaveTheSameName) {
  std::set<std::string> names;
  for (const char* router : {"oslo-0", "oslo-01"}) {
    for (const std::uint64_t incarnation : {1, 11}) {
      for (const AttemptId attempt : {1, 11}) names.insert(AttemptName(router, incarnation, attempt));
    }
  }
  EXPECT_EQ(names.size(), 8u);
}

TEST(RouterJobHeader, AnAttemptIsNamedByTheRouterThatMakesIt) {
  v1::JobHeader header;
  header.set_offer("oslo-0/1/7");
  const Time now = FromUnixSeconds(1000);
  JobFacts facts;
  facts.arrived = now;
  facts.deadline = now + Seconds(9);
  EXPECT_EQ(HeaderForWorker(header, facts, "", now, "paris-0/1/3").header().offer(), "paris-0/1/3");
  EXPECT_EQ(HeaderForWorker(header, facts, "", now).header().offer(), "");
  EXPECT_EQ(HeaderForRouter(header, facts, {}, ZeroDuration(), now, "paris-0/1/4").header().offer(),
            "paris-0/1/4");
}

TEST(RouterJobHeader, OnlyRoutersNameAttempts) {
  const Fleet fleet = FleetOfTwo();
  const KnownFleet known{.fleet = std::make_shared<const Fleet>(fleet), .retired = {}, .home = RegionId(0)};
  v1::JobHeader header;
  header.set_offer("oslo-0/1/7");
  Sanitize(header, /*forwarded=*/true, known, "job-1");
  EXPECT_EQ(header.offer(), "oslo-0/1/7");
  Sanitize(header, /*forwarded=*/false, known, "job-1");
  EXPECT_EQ(header.offer(), "");
}

}  // namespace
}  // namespace ringway::router
