// A keeper's rules, one by one; their interplay is once_property_test.cc's.
#include "router/once/record_book.h"

#include <gtest/gtest.h>

namespace ringway::router::once {
namespace {

constexpr ClaimId kFirst{1, 10, 1, 1};
constexpr ClaimId kOther{1, 20, 1, 1};
constexpr ClaimId kSecondRound{2, 20, 1, 2};
const absl::Time kRecordNow = absl::FromUnixSeconds(1000);

ClaimAsk Claim(const ClaimId& claim, std::vector<ClaimId> over = {}) {
  return {.key = "k", .fingerprint = 7, .claim = claim, .hold = absl::Seconds(10), .over = std::move(over)};
}

SettleAsk End(const ClaimId& claim, const std::string& bytes = "film") {
  SettleAsk ask;
  ask.record = {.key = "k", .fingerprint = 7, .claim = claim};
  ask.record.result = {.end = std::make_shared<const std::string>("end"),
                       .bytes = std::make_shared<const std::string>(bytes)};
  return ask;
}

class RecordBookTest : public testing::Test {
 protected:
  RecordBook book_{{.records_max = 3, .result_bytes_max = 10, .keep = absl::Minutes(1)}};
};

TEST_F(RecordBookTest, AKeyBelongsToTheFirstClaimOnly) {
  EXPECT_EQ(book_.Claim(kRecordNow, Claim(kFirst)).verdict, Verdict::kOk);
  EXPECT_EQ(book_.Claim(kRecordNow, Claim(kFirst)).verdict, Verdict::kOk) << "the same again";
  const Reply taken = book_.Claim(kRecordNow, Claim(kOther));
  EXPECT_EQ(taken.verdict, Verdict::kTaken);
  ASSERT_EQ(taken.records.size(), 1u);
  EXPECT_EQ(taken.records[0].claim, kFirst);
}

TEST_F(RecordBookTest, AClaimIsTakenOverOnlyByName) {
  (void)book_.Claim(kRecordNow, Claim(kFirst));
  EXPECT_EQ(book_.Claim(kRecordNow, Claim(kSecondRound, {kOther})).verdict, Verdict::kTaken);
  EXPECT_EQ(book_.Claim(kRecordNow, Claim(kSecondRound, {kFirst})).verdict, Verdict::kOk);
  EXPECT_EQ(book_.Settle(kRecordNow, End(kFirst)).verdict, Verdict::kTaken) << "it has no say any more";
  EXPECT_EQ(book_.Settle(kRecordNow, End(kSecondRound)).verdict, Verdict::kOk);
}

TEST_F(RecordBookTest, AfterItsHoldAClaimIsSaidToBeExpiredAndStaysOnRecord) {
  (void)book_.Claim(kRecordNow, Claim(kFirst));
  EXPECT_EQ(book_.Claim(kRecordNow + absl::Seconds(10), Claim(kOther)).verdict, Verdict::kExpired);
  EXPECT_EQ(book_.Settle(kRecordNow + absl::Seconds(11), End(kFirst)).verdict, Verdict::kOk);
}

TEST_F(RecordBookTest, AnEndIsNeverReplacedByAClaim) {
  (void)book_.Settle(kRecordNow, End(kFirst));
  EXPECT_EQ(book_.Claim(kRecordNow, Claim(kSecondRound, {kFirst})).verdict, Verdict::kTaken);
  EXPECT_EQ(book_.Copy(kRecordNow, {.key = "k", .claim = kSecondRound}).verdict, Verdict::kOk);
  EXPECT_TRUE(book_.Find("k")->done);
  EXPECT_EQ(book_.Settle(kRecordNow, End(kSecondRound)).verdict, Verdict::kOk) << "but by a later end";
  EXPECT_EQ(book_.Settle(kRecordNow, End(kFirst)).verdict, Verdict::kTaken);
}

TEST_F(RecordBookTest, AReleasedKeyIsFreeAndALateRoundIsRemembered) {
  (void)book_.Claim(kRecordNow, Claim(kFirst));
  (void)book_.Release(kRecordNow, {"k", kOther});
  EXPECT_EQ(book_.size(), 1u) << "somebody else's claim";
  (void)book_.Release(kRecordNow, {"k", kFirst});
  EXPECT_EQ(book_.size(), 0u);
  (void)book_.Claim(kRecordNow, Claim(kSecondRound));
  (void)book_.Release(kRecordNow, {"k", kSecondRound});
  EXPECT_EQ(book_.Claim(kRecordNow, Claim(kFirst)).verdict, Verdict::kBehind);
  EXPECT_EQ(book_.Claim(kRecordNow, Claim({3, 10, 1, 9})).verdict, Verdict::kOk);
}

TEST_F(RecordBookTest, AFullBookForgetsNothingAndSaysSo) {
  for (const char* key : {"a", "b", "c"}) {
    ClaimAsk ask = Claim(kFirst);
    ask.key = key;
    EXPECT_EQ(book_.Claim(kRecordNow, ask).verdict, Verdict::kOk);
  }
  EXPECT_EQ(book_.Claim(kRecordNow, Claim(kFirst)).verdict, Verdict::kFull);
  EXPECT_EQ(book_.NextForget(), kRecordNow + absl::Seconds(70));
  book_.Forget(kRecordNow + absl::Seconds(70));
  EXPECT_EQ(book_.Claim(kRecordNow + absl::Seconds(70), Claim(kFirst)).verdict, Verdict::kOk);
}

TEST_F(RecordBookTest, OldResultsLoseTheirBytesAndKeepTheirRecord) {
  for (const char* key : {"a", "b", "c"}) {
    SettleAsk ask = End(kFirst, "1234");
    ask.record.key = key;
    (void)book_.Settle(kRecordNow, ask);
  }
  EXPECT_EQ(book_.result_bytes(), 8u);
  ASSERT_NE(book_.Find("a"), nullptr);
  EXPECT_EQ(book_.Find("a")->result.bytes, nullptr);
  EXPECT_NE(book_.Find("a")->result.end, nullptr) << "who did it is still known";
  EXPECT_NE(book_.Find("c")->result.bytes, nullptr);
}

TEST_F(RecordBookTest, PagesGoThroughTheKeysInOrder) {
  for (const char* key : {"a", "b", "c"}) {
    ClaimAsk ask = Claim(kFirst);
    ask.key = key;
    (void)book_.Claim(kRecordNow, ask);
  }
  const Reply page = book_.Page("a", [](const std::string& key) { return key != "b"; });
  ASSERT_EQ(page.records.size(), 1u);
  EXPECT_EQ(page.records[0].key, "c");
  EXPECT_FALSE(page.more);
}

TEST_F(RecordBookTest, AKeyThatWasForgottenLeavesNothingBehind) {
  const auto run = [&](absl::Time now, const std::string& key) {
    ClaimAsk claim = Claim(kFirst);
    SettleAsk end = End(kFirst);  // four bytes of ten
    claim.key = end.record.key = key;
    end.record.until = now + absl::Minutes(1);
    ASSERT_EQ(book_.Claim(now, claim).verdict, Verdict::kOk);
    ASSERT_EQ(book_.Settle(now, end).verdict, Verdict::kOk);
  };
  run(kRecordNow, "again");
  const absl::Time later = kRecordNow + absl::Minutes(2);
  book_.Forget(later);
  EXPECT_EQ(book_.size(), 0u);
  EXPECT_EQ(book_.result_bytes(), 0u);
  run(later, "old");
  run(later, "again");
  run(later, "new");
  EXPECT_EQ(book_.Find("old")->result.bytes, nullptr) << "the oldest makes room";
  EXPECT_NE(book_.Find("again")->result.bytes, nullptr) << "its earlier life counted";
}

}  // namespace
}  // namespace ringway::router::once
