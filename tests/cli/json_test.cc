#include "core/json.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <limits>

#include "gtest/gtest.h"

namespace ringway::cli {
namespace {

TEST(JsonTest, WritesNestedValues) {
  JsonWriter json;
  json.BeginObject();
  json.Key("empty").BeginArray().End();
  json.Key("list").BeginArray().Integer(1).Number(2.5).Flag(true).End();
  json.Key("inner").BeginObject().Key("a").Text("b").End();
  json.End();
  EXPECT_EQ(json.text(),
            "{\n  \"empty\": [],\n  \"list\": [\n    1,\n    2.5,\n    true\n  ],\n"
            "  \"inner\": {\n    \"a\": \"b\"\n  }\n}");
}

TEST(JsonTest, AParserReadsBackWhatWasWritten) {
  const std::string nasty = "quote \" slash \\ newline \n bell \a e \xc3\xa9";
  JsonWriter json;
  json.BeginObject();
  json.Key(nasty).Text(nasty);
  json.Key("nan").Number(std::numeric_limits<double>::quiet_NaN());
  json.Key("inf").Number(std::numeric_limits<double>::infinity());
  json.Key("raw").Raw("{\"x\": 1}\n");
  json.End();
  google::protobuf::Struct parsed;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json.text(), &parsed).ok()) << json.text();
  EXPECT_EQ(parsed.fields().at(nasty).string_value(), nasty);
  EXPECT_EQ(parsed.fields().at("nan").kind_case(), google::protobuf::Value::kNullValue);
  EXPECT_EQ(parsed.fields().at("inf").kind_case(), google::protobuf::Value::kNullValue);
  EXPECT_EQ(parsed.fields().at("raw").struct_value().fields().at("x").number_value(), 1);
}

}  // namespace
}  // namespace ringway::cli
