// The basis of the network simplex under pivots at random: whatever enters, balances hold, potentials belong
// to the tree, and it stays strongly feasible, which is what keeps degenerate pivots from cycling.
#include "controller/planner/transport_tree.h"

#include <cstdint>
#include <vector>

#include "core/rng.h"
#include "gtest/gtest.h"

namespace ringway::planner {
namespace {

using Node = TransportTree::Node;

constexpr std::size_t kSources = 6, kTargets = 7;  // the last source fills up, the last target takes the rest
constexpr Node kRoot = kSources + kTargets - 1;

struct World {
  std::vector<std::int64_t> supply, room;
  double cost[kSources][kSources + kTargets] = {};
};

// Small whole numbers, so that many a pivot moves nothing. What each source has goes to the root, which has
// room for all; the last source fills the other targets.
World RandomWorld(Rng& rng, std::vector<TransportTree::Arc>& arcs) {
  World world;
  for (auto& row : world.cost) {
    for (double& cost : row) cost = static_cast<double>(rng.Below(4));
  }
  world.supply.assign(kSources, 0);
  world.room.assign(kSources + kTargets, 0);
  for (Node s = 0; s + 1 < kSources; ++s) {
    world.supply[s] = static_cast<std::int64_t>(rng.Below(3));
    arcs.push_back({s, kRoot, world.supply[s], world.cost[s][kRoot]});
    world.room[kRoot] += world.supply[s];
  }
  const Node filler = kSources - 1;
  for (Node t = kSources; t < kRoot; ++t) {
    world.room[t] = 1 + static_cast<std::int64_t>(rng.Below(2));
    world.supply[filler] += world.room[t];
    arcs.push_back({filler, t, world.room[t], world.cost[filler][t]});
  }
  arcs.push_back({filler, kRoot, 1, world.cost[filler][kRoot]});
  world.supply[filler] += 1;
  world.room[kRoot] += 1;
  return world;
}

void ExpectSound(const World& world, const TransportTree& tree) {
  const std::vector<TransportTree::Arc> arcs = tree.Arcs();
  ASSERT_EQ(arcs.size(), kSources + kTargets - 1);
  std::vector<std::int64_t> sent(kSources), held(kSources + kTargets);
  for (const TransportTree::Arc& arc : arcs) {
    ASSERT_GE(arc.units, 0);
    sent[arc.source] += arc.units;
    held[arc.target] += arc.units;
    EXPECT_EQ(tree.potential(arc.source), tree.potential(arc.target) + arc.cost);
    EXPECT_EQ(arc.cost, world.cost[arc.source][arc.target]);
    if (arc.units == 0) {
      EXPECT_EQ(tree.parent(arc.source), arc.target) << "an empty arc leads away from the root";
    }
  }
  EXPECT_EQ(sent, world.supply);
  EXPECT_EQ(held, world.room);
}

TEST(TransportTree, StaysSoundAndStronglyFeasibleWhateverEnters) {
  int degenerate = 0;
  for (std::uint64_t seed = 1; seed <= 500 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    std::vector<TransportTree::Arc> arcs;
    const World world = RandomWorld(rng, arcs);
    TransportTree tree(kSources + kTargets, kSources, kRoot, arcs);
    ExpectSound(world, tree);
    for (int k = 0; k < 60 && !testing::Test::HasFailure(); ++k) {
      const Node source = static_cast<Node>(rng.Below(kSources));
      const Node target = static_cast<Node>(kSources + rng.Below(kTargets));
      if (tree.parent(source) == target || tree.parent(target) == source) continue;
      tree.Enter(source, target, world.cost[source][target]);
      ExpectSound(world, tree);
      for (const TransportTree::Arc& arc : tree.Arcs())
        degenerate += arc.source == source && arc.target == target && arc.units == 0;
    }
  }
  EXPECT_GT(degenerate, 500) << "the case that this is about";
}

}  // namespace
}  // namespace ringway::planner
