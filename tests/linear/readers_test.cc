// Every reader of text that strangers write: four times the text is about four times the work, whatever it is
// made of.
//
// A reader that is quadratic somewhere takes sixteen times as long. Each shape below is read in two sizes, in
// seconds of the processor, the best of three runs. What a reader refuses early takes no time in either size,
// and passes: that is the point of its budget.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/daemon/prometheus_source.h"
#include "controller/daemon/web_calls.h"
#include "engine/checkpoint/safetensors.h"
#include "gateway/order_reader.h"
#include "router/daemon/operations/metrics_text.h"
#include "sim/demand/trace.h"
#include "topology/topology.h"

namespace ringway {
namespace {

std::string Repeated(std::string_view piece, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + piece.size());
  while (text.size() < bytes) text += piece;
  return text;
}

double BestSeconds(const std::function<void(const std::string&)>& read, const std::string& text) {
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    const std::clock_t began = std::clock();
    read(text);
    best = std::min(best, static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC);
  }
  return best;
}

using Make = std::function<std::string(std::size_t bytes)>;

void ExpectLinear(const char* what, const std::function<void(const std::string&)>& read, std::size_t bytes,
                  const std::vector<Make>& shapes) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const double one = BestSeconds(read, shapes[i](bytes / 4)), four = BestSeconds(read, shapes[i](bytes));
    // The kernel's part in large allocations is a tenth of a second at most; a quadratic reader takes many.
    EXPECT_LE(four, 9 * one + 0.2) << what << ", shape " << i << ": " << one << " s, then " << four << " s";
    EXPECT_LT(four, 10) << what << ", shape " << i;
  }
}

// Opened so often, and a value made of pieces; the rest of the text is what the reader expects around them.
Make Around(std::string before, std::string piece, std::string after) {
  return [=](std::size_t bytes) { return before + Repeated(piece, bytes) + after; };
}

TEST(ReadersTest, OrdersAsJson) {
  ExpectLinear("OrderOfJson",
               [](const std::string& text) { (void)gateway::ReadOrder("application/json", text); }, 8 << 20,
               {Around("", "[", ""), Around("", "{\"a\":", ""), Around("[", "{},", "0]"),
                Around("{\"prompt\":[", "0,", "0]}"), Around("{\"input_reference\":\"", "QUJD", "\"}"),
                Around("{\"input_reference\":\"", "\\u0041", "\"}"), Around("{\"prompt\":", "9", "}"),
                Around("{\"", "k", "\":1}"), Around("", " ", "{}")});
}

TEST(ReadersTest, OrdersAsForms) {
  const std::string head =
      "--B\r\nContent-Disposition: form-data; name=\"input_reference\"; filename=\"a\"\r\n\r\n";
  ExpectLinear(
      "ReadForm",
      [](const std::string& text) { (void)gateway::ReadOrder("multipart/form-data; boundary=B", text); },
      8 << 20,
      {Around(head, "\r\n--", "\r\n--B--"), Around(head, "\r\n--A", "\r\n--B--"),
       Around(head, "\r", "\r\n--B--"),
       Around("", "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n", "--B--"),
       Around("--B\r\n", "a: b\r\n", "\r\n--B--"),
       Around("--B\r\nContent-Disposition: form-data", "; a=\"b\\\"\"", "\r\n\r\n--B--")});
}

TEST(ReadersTest, OrdersOfTheDashboard) {
  ExpectLinear("ReadPost",
               [](const std::string& text) {
                 (void)controller::ReadPost(controller::WebPost::kDrain, text, "127.0.0.1");
               },
               64 << 10,
               {Around("", "[", ""), Around("{\"region\":", "[", ""), Around("{\"region\":[", "{},", "0]}")});
}

TEST(ReadersTest, AnswersOfPrometheus) {
  const std::string begin = "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[";
  ExpectLinear("ParseQueryAnswer", [](const std::string& text) { (void)controller::ParseQueryAnswer(text); },
               2 << 20,
               {Around("", "[", ""), Around(begin, "[", ""), Around(begin, "{},", "0]}}"),
                Around(begin, "{\"metric\":{\"region\":\"a\"},\"value\":[1,\"2\"]},",
                       "{\"metric\":{\"region\":\"a\"},\"value\":[1,\"2\"]}]}}")});
}

TEST(ReadersTest, PagesOfWorkers) {
  ExpectLinear(
      "ReadMetrics", [](const std::string& text) { (void)router::ReadMetrics(text, {"gpu"}); }, 4 << 20,
      {Around("", "gpu 1\n", ""), Around("gpu{", "\"", " 1\n"), Around("gpu{a=\"", "\\\"", "\"} 1\n"),
       Around("gpu ", " ", "1\n"), Around("gpu ", "9", "\n"), Around("", "\n", "")});
}

TEST(ReadersTest, HeadersOfCheckpoints) {
  const auto read = [](const std::string& text) {
    std::string file(8, '\0');
    for (int i = 0; i < 8; ++i) file[static_cast<std::size_t>(i)] = static_cast<char>(text.size() >> (8 * i));
    file += text;
    (void)engine::ParseSafetensors(std::as_bytes(std::span(file.data(), file.size())), "t");
  };
  const auto tensors = [](std::size_t bytes) {
    std::string text = "{";
    for (std::size_t i = 0; text.size() < bytes; ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ",", "\"t", i,
                      "\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}");
    }
    return text + "}";
  };
  ExpectLinear(
      "ParseSafetensors", read, 4 << 20,
      {Around("", "[", ""), Around("{\"__metadata__\":", "{\"a\":", ""), Around("[", "{},", "0]"), tensors});
}

TEST(ReadersTest, Traces) {
  ExpectLinear("ParseTraceCsv", [](const std::string& text) { (void)sim::ParseTraceCsv(text, "t.csv"); },
               4 << 20,
               {Around("TIMESTAMP\n", "2023-11-16 18:01:00\n", ""), Around("TIMESTAMP\n", ",", "\n"),
                Around("", "\"", "\n"), Around("TIMESTAMP\n", "\n", "")});
  ExpectLinear("ParseTraceJobs", [](const std::string& text) { (void)sim::ParseTraceJobs(text, "t.csv"); },
               4 << 20,
               {Around("time,tenant,size\n0,\"", "\"\",", "\n"), Around("time,tenant\n0,", "\"a,", "\n"),
                Around("time_s,tenant\n", "1,a\n", ""), Around("", "time,", "\n")});
}

TEST(ReadersTest, Topologies) {
  ExpectLinear("ParseTopology", [](const std::string& text) { (void)ParseTopology(text, "t.yaml"); }, 1 << 20,
               {Around("", "[", ""), Around("", "a: ", ""), Around("a: [", "b,", "]"),
                Around("", "---\n", ""), Around("a: \"", "x", "\""), Around("", "- a\n", ""),
                Around("a: &b [1]\nc: [", "*b,", "]"), Around("", "# c\n", "")});
}

}  // namespace
}  // namespace ringway
