#include "gateway/webhook_signature.h"

#include <gtest/gtest.h>

namespace ringway::gateway {
namespace {

// The example of the specification.
TEST(WebhookSignatureTest, TheExampleOfTheSpecification) {
  const auto key = ReadWebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  ASSERT_TRUE(key.ok()) << key.status();
  EXPECT_EQ(SignWebhook(*key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(WebhookSignatureTest, EveryPartIsSigned) {
  const std::string key(32, 'k');
  const std::string signature = SignWebhook(key, "id", 1, "body");
  EXPECT_EQ(SignWebhook(key, "id", 1, "body"), signature);
  EXPECT_NE(SignWebhook(std::string(32, 'l'), "id", 1, "body"), signature);
  EXPECT_NE(SignWebhook(key, "ie", 1, "body"), signature);
  EXPECT_NE(SignWebhook(key, "id", 2, "body"), signature);
  EXPECT_NE(SignWebhook(key, "id", 1, "bodz"), signature);
}

TEST(WebhookSignatureTest, WhatIsNoSecretIsNotRepeated) {
  for (const char* secret : {"", "whsec_", "hunter2hunter2hunter2", "whsec_!!!!!!!!!!!!!!!!!!!!!!!!!!",
                             "whsec_aHVudGVyMg==", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}) {
    const auto key = ReadWebhookSecret(secret);
    ASSERT_FALSE(key.ok()) << secret;
    EXPECT_NE(key.status().message().find("whsec_$("), std::string::npos);
    EXPECT_EQ(key.status().message().find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace ringway::gateway
