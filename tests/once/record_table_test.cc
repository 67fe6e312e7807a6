// A replica's rules, one by one; their interplay is once_property_test.cc's.
#include "router/once/record_table.h"

#include <gtest/gtest.h>

namespace ringway::router::once {
namespace {

constexpr ClaimId kFirst{1, 10, 1, 1};
constexpr ClaimId kOther{1, 20, 1, 1};
constexpr ClaimId kSecondRound{2, 20, 1, 2};
constexpr ViewId kView{1, 1, 9};
constexpr ViewId kNextView{1, 2, 8};
const Time kRecordNow = FromUnixSeconds(1000);

ClaimRequest Claim(const ClaimId& claim, std::vector<ClaimId> over = {}) {
  return {.key = "k", .fingerprint = 7, .claim = claim, .hold = Seconds(10), .over = std::move(over)};
}

SettleRequest End(const ClaimId& claim, const std::string& bytes = "film") {
  SettleRequest request;
  request.record = {.key = "k", .fingerprint = 7, .claim = claim};
  request.record.result = {.end = std::make_shared<const std::string>("end"),
                           .bytes = std::make_shared<const std::string>(bytes)};
  return request;
}

class RecordTableTest : public testing::Test {
 protected:
  RecordTable table_{{.records_max = 3, .result_bytes_max = 10, .keep = Minutes(1)}};
};

TEST_F(RecordTableTest, AKeyBelongsToTheFirstClaimOnly) {
  EXPECT_EQ(table_.Claim(kRecordNow, Claim(kFirst)).verdict, Verdict::kOk);
  EXPECT_EQ(table_.Claim(kRecordNow, Claim(kFirst)).verdict, Verdict::kOk) << "the same again";
  const Reply taken = table_.Claim(kRecordNow, Claim(kOther));
  EXPECT_EQ(taken.verdict, Verdict::kTaken);
  ASSERT_EQ(taken.records.size(), 1u);
  EXPECT_EQ(taken.records[0].claim, kFirst);
}

TEST_F(RecordTableTest, AClaimIsTakenOverOnlyByName) {
  (void)table_.Claim(kRecordNow, Claim(kFirst));
  EXPECT_EQ(table_.Claim(kRecordNow, Claim(kSecondRound, {kOther})).verdict, Verdict::kTaken);
  EXPECT_EQ(table_.Claim(kRecordNow, Claim(kSecondRound, {kFirst})).verdict, Verdict::kOk);
  EXPECT_EQ(table_.Settle(kRecordNow, kView, End(kFirst)).verdict, Verdict::kTaken)
      << "it has no say any more";
  EXPECT_EQ(table_.Settle(kRecordNow, kView, End(kSecondRound)).verdict, Verdict::kOk);
}

TEST_F(RecordTableTest, AfterItsHoldAClaimIsSaidToBeExpiredAndStaysOnRecord) {
  (void)table_.Claim(kRecordNow, Claim(kFirst));
  EXPECT_EQ(table_.Claim(kRecordNow + Seconds(10), Claim(kOther)).verdict, Verdict::kExpired);
  EXPECT_EQ(table_.Settle(kRecordNow + Seconds(11), kView, End(kFirst)).verdict, Verdict::kOk);
}

// Paxos' first phase: whoever may tell the next end is told the one that there is.
TEST_F(RecordTableTest, AClaimOfALaterRoundIsGrantedBesideAnEndAndHearsIt) {
  (void)table_.Settle(kRecordNow, kView, End(kFirst));
  const Reply read = table_.Claim(kRecordNow, Claim(kOther));
  EXPECT_EQ(read.verdict, Verdict::kTaken) << "of its own round";
  ASSERT_EQ(read.records.size(), 1u);
  EXPECT_EQ(read.records[0].voted_in, kView);
  const Reply granted = table_.Claim(kRecordNow, Claim(kSecondRound));
  EXPECT_EQ(granted.verdict, Verdict::kOk);
  ASSERT_EQ(granted.records.size(), 1u);
  EXPECT_TRUE(granted.records[0].done);
  EXPECT_EQ(granted.records[0].claim, kFirst);
  const Reply taken = table_.Claim(kRecordNow, Claim(kOther));
  ASSERT_EQ(taken.records.size(), 2u) << "the claim, and the end behind it";
  EXPECT_EQ(taken.records[0].claim, kSecondRound);
  EXPECT_EQ(taken.records[1].claim, kFirst);
  EXPECT_EQ(table_.Settle(kRecordNow, kView, End(kSecondRound)).verdict, Verdict::kOk);
  EXPECT_EQ(table_.Settle(kRecordNow, kView, End(kFirst)).verdict, Verdict::kTaken);
  EXPECT_TRUE(table_.Find("k")->done);
}

// What a claim has promised outlives it: it may have taken over from one whose end stands elsewhere.
TEST_F(RecordTableTest, AnEndOfAnEarlierRoundThanOneThatWasGivenUpIsRefused) {
  const ClaimId third{3, 30, 1, 1};
  for (const bool end_there : {true, false}) {
    RecordTable table({.keep = Minutes(1)});
    if (end_there) (void)table.Settle(kRecordNow, kView, End(kFirst));
    ASSERT_EQ(table.Claim(kRecordNow, Claim(third)).verdict, Verdict::kOk);
    (void)table.Release(kRecordNow, {"k", third});
    EXPECT_NE(table.Settle(kRecordNow, kView, End(kSecondRound)).verdict, Verdict::kOk);
    EXPECT_EQ(table.Claim(kRecordNow, Claim(kSecondRound)).verdict, Verdict::kBehind);
    EXPECT_EQ(table.Claim(kRecordNow, Claim({4, 10, 1, 3})).records.size(), end_there ? 1u : 0u);
  }
}

// Who asks whether a quorum has accepted an end must not count those that have only read of it.
TEST_F(RecordTableTest, OnlyAnAcceptedEndIsAVoteAndOnlyInItsView) {
  const Record copy{.key = "k", .fingerprint = 7, .claim = kFirst, .done = true, .voted_in = kView};
  (void)table_.Copy(kRecordNow, copy);
  EXPECT_FALSE(table_.Find("k")->voted_in.stated());
  EXPECT_EQ(table_.Settle(kRecordNow, kView, End(kFirst)).verdict, Verdict::kOk);
  EXPECT_EQ(table_.Find("k")->voted_in, kView);
  (void)table_.Copy(kRecordNow, copy);
  EXPECT_EQ(table_.Find("k")->voted_in, kView) << "what it reads later changes nothing";
  EXPECT_EQ(table_.Settle(kRecordNow, kNextView, End(kFirst)).verdict, Verdict::kOk);
  EXPECT_EQ(table_.Find("k")->voted_in, kNextView);
  (void)table_.Claim(kRecordNow, Claim(kSecondRound));
  EXPECT_EQ(table_.Settle(kRecordNow, kNextView, End(kFirst)).verdict, Verdict::kOk)
      << "it has been, long ago";
  EXPECT_EQ(table_.Settle(kRecordNow, kView, End(kFirst)).verdict, Verdict::kTaken) << "not once more";
}

// What two replicas of an earlier view knew. Neither order may lose the one that had been agreed to.
TEST_F(RecordTableTest, CopiesStandSideBySideUntilEachIsSeenTo) {
  const Record first{.key = "k", .fingerprint = 7, .claim = kFirst, .until = kRecordNow + Seconds(5)};
  Record other = first;
  other.claim = kOther;
  (void)table_.Copy(kRecordNow, first);
  (void)table_.Copy(kRecordNow, other);
  const ClaimId late{2, 30, 1, 1};
  EXPECT_EQ(table_.Claim(kRecordNow, Claim(late, {kFirst})).records.at(0).claim, kOther) << "one is left";
  EXPECT_EQ(table_.Settle(kRecordNow, kView, End(kOther)).verdict, Verdict::kOk) << "it had been agreed to";
  EXPECT_TRUE(table_.Find("k")->done);
}

TEST_F(RecordTableTest, AnEndStandsUnderACopiedClaimOfALaterRound) {
  for (const bool end_first : {true, false}) {
    RecordTable table({.keep = Minutes(1)});
    Record end{.key = "k", .fingerprint = 7, .claim = kFirst, .done = true, .until = kRecordNow};
    const Record claim{.key = "k", .fingerprint = 7, .claim = kSecondRound, .until = kRecordNow};
    (void)table.Copy(kRecordNow, end_first ? end : claim);
    (void)table.Copy(kRecordNow, end_first ? claim : end);
    EXPECT_EQ(table.Find("k")->claim, kSecondRound) << "it may have been agreed to";
    const Reply taken = table.Claim(kRecordNow, Claim({3, 30, 1, 1}, {kSecondRound}));
    EXPECT_EQ(taken.verdict, Verdict::kOk);
    ASSERT_EQ(taken.records.size(), 1u);
    EXPECT_TRUE(taken.records[0].done) << "given up, it leaves the end that was there before";
  }
}

TEST_F(RecordTableTest, AReleasedKeyIsFreeAndALateRoundIsRemembered) {
  (void)table_.Claim(kRecordNow, Claim(kFirst));
  (void)table_.Release(kRecordNow, {"k", kOther});
  EXPECT_EQ(table_.size(), 1u) << "somebody else's claim";
  (void)table_.Release(kRecordNow, {"k", kFirst});
  EXPECT_EQ(table_.size(), 0u);
  (void)table_.Claim(kRecordNow, Claim(kSecondRound));
  (void)table_.Release(kRecordNow, {"k", kSecondRound});
  EXPECT_EQ(table_.Claim(kRecordNow, Claim(kFirst)).verdict, Verdict::kBehind);
  EXPECT_EQ(table_.Claim(kRecordNow, Claim({3, 10, 1, 9})).verdict, Verdict::kOk);
}

TEST_F(RecordTableTest, AFullBookForgetsNothingAndSaysSo) {
  for (const char* key : {"a", "b", "c"}) {
    ClaimRequest request = Claim(kFirst);
    request.key = key;
    EXPECT_EQ(table_.Claim(kRecordNow, request).verdict, Verdict::kOk);
  }
  EXPECT_EQ(table_.Claim(kRecordNow, Claim(kFirst)).verdict, Verdict::kFull);
  EXPECT_EQ(table_.NextForget(), kRecordNow + Seconds(70));
  table_.Forget(kRecordNow + Seconds(70));
  EXPECT_EQ(table_.Claim(kRecordNow + Seconds(70), Claim(kFirst)).verdict, Verdict::kOk);
}

TEST_F(RecordTableTest, OldResultsLoseTheirBytesAndKeepTheirRecord) {
  for (const char* key : {"a", "b", "c"}) {
    SettleRequest request = End(kFirst, "1234");
    request.record.key = key;
    (void)table_.Settle(kRecordNow, kView, request);
  }
  EXPECT_EQ(table_.result_bytes(), 8u);
  ASSERT_NE(table_.Find("a"), nullptr);
  EXPECT_EQ(table_.Find("a")->result.bytes, nullptr);
  EXPECT_NE(table_.Find("a")->result.end, nullptr) << "who did it is still known";
  EXPECT_NE(table_.Find("c")->result.bytes, nullptr);
}

TEST_F(RecordTableTest, PagesGoThroughTheKeysInOrder) {
  for (const char* key : {"a", "b", "c"}) {
    ClaimRequest request = Claim(kFirst);
    request.key = key;
    (void)table_.Claim(kRecordNow, request);
  }
  const Reply page = table_.Page("a", [](const std::string& key) { return key != "b"; });
  ASSERT_EQ(page.records.size(), 1u);
  EXPECT_EQ(page.records[0].key, "c");
  EXPECT_FALSE(page.more);
}

TEST_F(RecordTableTest, AKeyThatWasForgottenLeavesNothingBehind) {
  const auto run = [&](Time now, const std::string& key) {
    ClaimRequest claim = Claim(kFirst);
    SettleRequest end = End(kFirst);  // four bytes of ten
    claim.key = end.record.key = key;
    end.record.until = now + Minutes(1);
    ASSERT_EQ(table_.Claim(now, claim).verdict, Verdict::kOk);
    ASSERT_EQ(table_.Settle(now, kView, end).verdict, Verdict::kOk);
  };
  run(kRecordNow, "again");
  const Time later = kRecordNow + Minutes(2);
  table_.Forget(later);
  EXPECT_EQ(table_.size(), 0u);
  EXPECT_EQ(table_.result_bytes(), 0u);
  run(later, "old");
  run(later, "again");
  run(later, "new");
  EXPECT_EQ(table_.Find("old")->result.bytes, nullptr) << "the oldest makes room";
  EXPECT_NE(table_.Find("again")->result.bytes, nullptr) << "its earlier life counted";
}

}  // namespace
}  // namespace ringway::router::once
