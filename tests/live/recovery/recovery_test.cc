// When trouble has ended, every healthy worker serves again at every router, and clients wait as long as
// before.
//
// One test a trouble; each plays it in four fleets side by side, which wait most of the time: both dispatch
// modes, over gRPC and in front of plain HTTP servers.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "tests/live/recovery/fleet.h"
#include "tests/live/recovery/trial.h"

namespace ringway::live {
namespace {

constexpr Duration kDown = Seconds(1);

struct Kind {
  const char* name;
  const char* mode;
  std::unique_ptr<Fleet> (*make)(const std::string& mode);
};
constexpr std::array<Kind, 4> kKinds = {{{"probes, gRPC", "probe", MakeGrpcFleet},
                                         {"ledger, gRPC", "ledger", MakeGrpcFleet},
                                         {"probes, plain pool", "probe", MakePlainFleet},
                                         {"ledger, plain pool", "ledger", MakePlainFleet}}};

void InEveryKind(const std::function<void(Trial&)>& play) {
  std::array<std::thread, kKinds.size()> threads;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    threads[i] = std::thread([&play, &kind = kKinds[i]] {
      SCOPED_TRACE(kind.name);
      Trial trial(kind.make(kind.mode));
      if (!trial.BecomesWell()) return;
      play(trial);
      trial.ExpectRecovery();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void RestartByKilling(DaemonProcess& daemon) {
  daemon.Kill();
  absl::SleepFor(kDown);
  daemon.StartAgain();
}

void Pause(DaemonProcess& daemon) {
  daemon.Signal(SIGSTOP);
  absl::SleepFor(Seconds(3));
  daemon.Signal(SIGCONT);
}

TEST(RecoveryTest, RollingRestartOfTheWorkers) {
  InEveryKind([](Trial& trial) {
    trial.UnderLoad([&fleet = trial.fleet()] {
      for (int worker = 0; worker < kWorkers; ++worker) {
        fleet.KillWorker(worker);
        absl::SleepFor(kDown);
        fleet.StartWorker(worker);
      }
    });
  });
}

TEST(RecoveryTest, OneClientWhoseJobsAllFail) {
  InEveryKind([](Trial& trial) {
    trial.UnderLoad([&fleet = trial.fleet()] { fleet.SendBad(/*router=*/0, /*jobs=*/30); });
  });
}

TEST(RecoveryTest, AllWorkersStall) {
  InEveryKind([](Trial& trial) {
    trial.UnderLoad([&fleet = trial.fleet()] {
      for (int worker = 0; worker < kWorkers; ++worker) fleet.StopWorker(worker);
      absl::SleepFor(Seconds(3));
      for (int worker = 0; worker < kWorkers; ++worker) fleet.ContinueWorker(worker);
    });
  });
}

TEST(RecoveryTest, RoutersAndControllerAreKilled) {
  InEveryKind([](Trial& trial) {
    trial.UnderLoad([&fleet = trial.fleet()] {
      for (int i = 0; i < kRouters; ++i) RestartByKilling(fleet.router(i));
      RestartByKilling(fleet.controller());
    });
  });
}

TEST(RecoveryTest, RoutersAndControllerArePaused) {
  InEveryKind([](Trial& trial) {
    trial.UnderLoad([&fleet = trial.fleet()] {
      for (int i = 0; i < kRouters; ++i) Pause(fleet.router(i));
      Pause(fleet.controller());
    });
  });
}

TEST(RecoveryTest, TheControllerStartsLast) {
  InEveryKind([](Trial& trial) {
    Fleet& fleet = trial.fleet();
    fleet.controller().Kill();
    for (int i = 0; i < kRouters; ++i) fleet.router(i).Kill();
    for (int i = 0; i < kRouters; ++i) fleet.router(i).StartAgain();
    absl::SleepFor(kDown);
    fleet.controller().StartAgain();
  });
}

TEST(RecoveryTest, TheWorkersStartLast) {
  InEveryKind([](Trial& trial) {
    Fleet& fleet = trial.fleet();
    fleet.controller().Kill();
    for (int i = 0; i < kRouters; ++i) fleet.router(i).Kill();
    for (int worker = 0; worker < kWorkers; ++worker) fleet.KillWorker(worker);
    fleet.controller().StartAgain();
    for (int i = 0; i < kRouters; ++i) fleet.router(i).StartAgain();
    // Longer than staleAfter: a table has been made in the meantime, and of workers nobody has heard.
    absl::SleepFor(Seconds(7));
    for (int worker = 0; worker < kWorkers; ++worker) fleet.StartWorker(worker);
  });
}

}  // namespace
}  // namespace ringway::live
