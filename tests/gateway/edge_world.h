// A router in front of a worker that says and does what a test wants, and raw HTTP as its client.
//
// Start gives the worker its script, its model and its terms for pictures, and waits until the router serves
// it. Ask, Get and Post are one request each on a connection of its own; a refusal may come before all of the
// body was sent.
//
// Threads: one owner; the script runs on the worker's.
#ifndef RINGWAY_TESTS_GATEWAY_EDGE_WORLD_H_
#define RINGWAY_TESTS_GATEWAY_EDGE_WORLD_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/live/daemon_process.h"
#include "tests/live/eventually.h"
#include "tests/live/scripted_worker.h"
#include "tests/router/http/raw_client.h"

namespace ringway::videos_test {

using http_test::Answer;
using live::DoneMessage;
using live::WorkerStream;

inline v1::JobDown Chunk(std::size_t bytes) {
  v1::JobDown down;
  down.set_chunk(std::string(bytes, 'f'));
  return down;
}

class EdgeTest : public ::testing::Test {
 protected:
  using Run = std::function<void(WorkerStream&, const v1::JobHeader&, const std::string&)>;

  void Start(Run run, std::vector<std::string> flags = {}, const std::string& model = "",
             const PictureTerms& pictures = {}) {
    worker_.emplace(
        live::WorkerScript{.name = "w1", .model = model, .pictures = pictures, .run = std::move(run)});
    std::vector<std::string> arguments = {"--name",          "r1",
                                          "--region",        "home",
                                          "--worker",        worker_->address(),
                                          "--videos-listen", "127.0.0.1:0",
                                          "--videos-store",  folder_.File("store")};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    router_.emplace(
        folder_,
        live::DaemonSpec{.program = "ringway-router", .name = "r1", .arguments = std::move(arguments)});
    if (!live::Eventually([&] {
          const auto models = Get("/v1/models");
          return models && models->body.find("animate") != std::string::npos &&
                 (model.empty() || model == "*" || models->body.find(model) != std::string::npos);
        })) {
      ADD_FAILURE() << router_->Log();
    }
  }
  static Run MakesAFilm(const std::string& type = "video/mp4") {
    return [type](WorkerStream& stream, const v1::JobHeader&, const std::string&) {
      stream.Write(Chunk(1000));
      stream.Write(DoneMessage("w1", type));
    };
  }
  void TearDown() override { router_.reset(); }  // before its worker

  std::optional<Answer> Ask(const std::string& line, const std::string& fields = "",
                            const std::string& body = "", Duration limit = Seconds(10)) {
    http_test::Wire wire = http_test::Wire::To(router_->videos());
    std::string request = absl::StrCat(line, " HTTP/1.1\r\n", fields);
    if (fields.find("Host:") == std::string::npos)
      absl::StrAppend(&request, "Host: ", router_->videos(), "\r\n");
    if (!body.empty()) absl::StrAppend(&request, "Content-Length: ", body.size(), "\r\n");
    // A server may have answered before all of it was sent.
    (void)wire.Send(absl::StrCat(request, "\r\n", body));
    return http_test::ReadAnswer(wire, false, limit);
  }
  std::optional<Answer> Get(const std::string& path, const std::string& fields = "") {
    return Ask("GET " + path, fields);
  }
  std::optional<Answer> Post(const std::string& json, Duration limit = Seconds(10)) {
    return Ask("POST /v1/videos", "Content-Type: application/json\r\n", json, limit);
  }
  static std::string FieldOf(const Answer& answer, const std::string& name) {
    const std::string mark = "\"" + name + "\":\"";
    const std::size_t at = answer.body.find(mark);
    if (at == std::string::npos) return "";
    return answer.body.substr(at + mark.size(), answer.body.find('"', at + mark.size()) - at - mark.size());
  }
  // Makes a job and waits for its end; its id.
  std::string Make(const std::string& status = "completed") {
    const auto made = Post("{\"prompt\":\"a boat\"}");
    EXPECT_TRUE(made && made->status == 200) << (made ? made->body : router_->Log());
    const std::string id = made ? FieldOf(*made, "id") : "";
    EXPECT_TRUE(live::Eventually([&] {
      const auto now = Get("/v1/videos/" + id);
      return now && FieldOf(*now, "status") == status;
    })) << id;
    return id;
  }
  std::size_t PeakKib() const {
    std::ifstream status(absl::StrCat("/proc/", router_->pid(), "/status"));
    for (std::string word; status >> word;) {
      if (word != "VmHWM:") continue;
      std::size_t kib = 0;
      status >> kib;
      return kib;
    }
    return 0;
  }
  double CpuSeconds() const {
    std::ifstream stat(absl::StrCat("/proc/", router_->pid(), "/stat"));
    std::string word;
    for (int i = 0; i < 13; ++i) stat >> word;
    double user = 0, system = 0;
    stat >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

  live::ScratchFolder folder_;
  std::optional<live::ScriptedWorker> worker_;
  std::optional<live::DaemonProcess> router_;
};

}  // namespace ringway::videos_test

#endif  // RINGWAY_TESTS_GATEWAY_EDGE_WORLD_H_
