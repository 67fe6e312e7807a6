// Frames: what is said comes out whole and in order, however the stream is cut; what is too long ends it.
#include "router/wire/frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/rng.h"

namespace ringway::router {
namespace {

// As a socket does: at most `piece` bytes at a time.
std::vector<std::string> Through(FrameReader& reader, std::string_view stream, std::size_t piece) {
  std::vector<std::string> frames;
  while (!stream.empty()) {
    const std::span<char> room = reader.Room();
    const std::size_t count = std::min({piece, room.size(), stream.size()});
    std::copy_n(stream.begin(), count, room.begin());
    stream.remove_prefix(count);
    reader.Filled(count);
    while (const auto frame = reader.Next()) frames.emplace_back(*frame);
  }
  return frames;
}

TEST(FramesTest, HoweverTheStreamIsCutTheFramesAreTheSame) {
  Rng rng(7, 1);
  std::vector<std::string> said = {"", "a", std::string(kFrameBytesMax, 'z'), ""};
  for (int i = 0; i < 200; ++i) said.emplace_back(rng.Below(300), static_cast<char>('a' + i % 26));
  std::string stream;
  for (const std::string& one : said) ASSERT_TRUE(AppendFrame(one, stream));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{1500}, stream.size()}) {
    FrameReader reader;
    EXPECT_EQ(Through(reader, stream, piece), said) << "in pieces of " << piece;
    EXPECT_FALSE(reader.nonsense());
  }
}

TEST(FramesTest, WhatIsTooLongIsNeitherSaidNorHeard) {
  std::string stream = "before";
  EXPECT_FALSE(AppendFrame(std::string(kFrameBytesMax + 1, 'z'), stream));
  EXPECT_EQ(stream, "before") << "half a frame would spoil the stream";
  FrameReader reader;
  std::string good;
  ASSERT_TRUE(AppendFrame("good", good));
  EXPECT_EQ(Through(reader, good + std::string("\x00\x01\x00\x01", 4) + "bytes", 2),
            std::vector<std::string>{"good"});
  EXPECT_TRUE(reader.nonsense());
  EXPECT_TRUE(Through(reader, good, 100).empty()) << "there is no way back into a stream without sense";
}

}  // namespace
}  // namespace ringway::router
