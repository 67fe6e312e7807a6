// Schedulers as checkpoints configure them: against samplers written from their papers
// (tests/engine/reference/schedulers.py), and on normal data, where the answer is known in closed form.
#include "engine/sampler/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "core/json_reader.h"

namespace ringway::engine {
namespace {

using testing::HasSubstr;

// The network and the noise of the reference.
double Answer(double x, double time, std::size_t i) {
  return 0.7 * std::tanh(0.9 * x + 0.3) + 0.2 * std::cos(time / 300 + static_cast<double>(i));
}
float Noise(int draw, std::size_t i) {
  return static_cast<float>(1.5 * std::sin(12.9898 * static_cast<double>(i + 1) + 78.233 * (draw + 1)));
}

Json ReadReference() {
  std::ifstream file(std::string(RINGWAY_SOURCE_DIR) + "/tests/engine/golden/schedulers.json");
  std::ostringstream text;
  text << file.rdbuf();
  return Json::Parse(text.str(), "schedulers.json").value();
}

std::vector<float> Sampled(Scheduler& scheduler, Prediction prediction, bool from_picture, std::size_t size) {
  std::vector<float> x(size), out(size), fresh(size);
  const NoiseLevel first = scheduler.level(0);
  for (std::size_t i = 0; i < size; ++i) {
    const double clean = 0.5 * std::cos(static_cast<double>(i));
    x[i] = static_cast<float>(from_picture ? first.alpha * clean + first.sigma * Noise(0, i)
                                           : scheduler.first_scale() * Noise(0, i));
  }
  for (int step = 0; step < scheduler.steps(); ++step) {
    for (std::size_t i = 0; i < size; ++i) {
      out[i] = static_cast<float>(Answer(x[i], scheduler.time(step), i));
      fresh[i] = Noise(step + 1, i);
    }
    ToDenoised(prediction, scheduler.level(step), x, out);
    scheduler.Advance(step, out, x, scheduler.WantsNoise(step) ? fresh : std::vector<float>());
  }
  return x;
}

TEST(Scheduler, AgreesWithTheReference) {
  const Json reference = ReadReference();
  ASSERT_GE(reference.array()->size(), 20u);
  double worst = 0;
  for (const Json& c : *reference.array()) {
    const std::string& name = *c.Find("class")->string();
    const double strength = c.Find("strength")->number();
    const auto config = ReadSchedulerConfig(Config(*c.Find("config"), "scheduler_config.json"), name);
    ASSERT_TRUE(config.ok()) << config.status();
    const auto steps = static_cast<int>(*c.Find("steps")->integer());
    const auto grid = MakeNoiseGrid(*config, steps, strength);
    ASSERT_TRUE(grid.ok()) << grid.status();
    const std::string what = name + " of " + std::to_string(steps);
    const auto& times = *c.Find("times")->array();
    const auto& end = *c.Find("end")->array();
    ASSERT_EQ(grid->times.size(), times.size()) << what;
    for (std::size_t i = 0; i < times.size(); ++i)
      EXPECT_NEAR(grid->times[i], times[i].number(), 1e-6) << what;
    Scheduler scheduler(*config, *grid, end.size());
    const std::vector<float> x = Sampled(scheduler, config->prediction, strength < 1, end.size());
    double largest = 1;  // noise predicted wrongly grows as it is divided by alpha
    for (const Json& value : end) largest = std::max(largest, std::abs(value.number()));
    for (std::size_t i = 0; i < end.size(); ++i) {
      worst = std::max(worst, std::abs(x[i] - end[i].number()) / largest);
      EXPECT_NEAR(x[i] / largest, end[i].number() / largest, 1e-5) << what << ", element " << i;
    }
  }
  std::printf("  schedulers: largest distance %.1e\n", worst);
}

SchedulerConfig Configured(const char* name) {
  SchedulerConfig config;
  config.time_spacing = TimeSpacing::kTrailing;
  EXPECT_TRUE(ChooseScheduler(name, config).ok());
  EXPECT_EQ(SchedulerName(config), name);
  return config;
}

// Normal data of mean 0 and deviation `spread`: the best denoiser is linear, so a whole run is a number that
// the first noise is multiplied by, and a variance that fresh noise adds. Returns the deviation at the end,
// which is `spread` if the sampler is exact.
double DeviationAtTheEnd(const SchedulerConfig& config, int steps, double spread, bool consistent = false) {
  const NoiseGrid grid = MakeNoiseGrid(config, steps).value();
  const Scheduler scheduler(config, grid, 1);
  double x = 1, before = 0;  // of the first noise, a step earlier
  std::vector<double> stirred, stirred_before;
  for (int step = 0; step < scheduler.steps(); ++step) {
    const NoiseLevel level = scheduler.level(step);
    const double variance = level.alpha * level.alpha * spread * spread + level.sigma * level.sigma;
    // A consistency model knows where the path through x ends.
    const double denoise =
        consistent ? spread / std::sqrt(variance) : level.alpha * spread * spread / variance;
    if (step == 0) x = std::sqrt(variance);  // as the noised data is spread
    const StepWeights w = scheduler.Weights(step);
    const auto advance = [&](double& now, double& earlier) {
      const double clean = denoise * now;
      now = w.keep * now + w.now * clean + w.earlier * earlier;
      earlier = clean;
    };
    advance(x, before);
    for (std::size_t i = 0; i < stirred.size(); ++i) advance(stirred[i], stirred_before[i]);
    stirred.push_back(w.stir);
    stirred_before.push_back(0);
  }
  double sum = x * x;
  for (const double s : stirred) sum += s * s;
  return std::sqrt(sum);
}

// Against the deviation that the data has at the last level.
double RelativeError(const SchedulerConfig& config, int steps, double spread) {
  const NoiseLevel end = LevelOf(MakeNoiseGrid(config, steps)->lambdas.back());
  const double exact = std::hypot(end.alpha * spread, end.sigma);
  return std::abs(DeviationAtTheEnd(config, steps, spread) / exact - 1);
}

TEST(Scheduler, ConvergesOnNormalDataAtItsOrder) {
  const std::pair<const char*, double> orders[] = {{"ddim", 1},          {"euler", 1},
                                                   {"euler-log-snr", 1}, {"euler-ancestral", 1},
                                                   {"dpm++-log-snr", 2}, {"dpm++-sde-log-snr", 2}};
  for (const auto& [name, order] : orders) {
    SchedulerConfig config = Configured(name);
    // The jump from the last trained level to no noise at all is no step of the solver's equation.
    config.final_sigma_zero = config.final_alpha_one = false;
    const double few = RelativeError(config, 100, 0.5), many = RelativeError(config, 400, 0.5);
    EXPECT_LT(few, 0.15) << name;
    EXPECT_GT(std::log2(few / many) / 2, 0.7 * order) << name << ": " << few << " to " << many;
  }
  EXPECT_LT(RelativeError(Configured("dpm++-log-snr"), 20, 0.5),
            RelativeError(Configured("euler"), 20, 0.5) / 5);
}

// Of a single point, or of a model that knows where every path ends, nothing is left to approximate.
TEST(Scheduler, IsExactWhereTheDenoiserIs) {
  for (const char* name : {"ddim", "euler", "euler-karras", "euler-ancestral", "dpm++", "dpm++-sde-karras"})
    for (const int steps : {1, 2, 5, 30}) {
      EXPECT_LT(DeviationAtTheEnd(Configured(name), steps, 0), 1e-12) << name;
    }
  for (const double spread : {0.1, 0.5, 1.3})
    for (const int steps : {1, 2, 4, 8})
      EXPECT_NEAR(DeviationAtTheEnd(Configured("lcm"), steps, spread, true) / spread, 1, 3e-5);
}

TEST(Scheduler, SpacesNoiseAsItsPapersDo) {
  SchedulerConfig config = Configured("dpm++-karras");
  const auto karras = MakeNoiseGrid(config, 10)->lambdas;
  const auto root = [&](std::size_t i) { return std::exp(-karras[i] / 7); };
  for (std::size_t i = 2; i < 10; ++i) EXPECT_NEAR(root(i - 1) - root(i), root(0) - root(1), 1e-12);
  config = Configured("dpm++-log-snr");
  const auto even = MakeNoiseGrid(config, 10)->lambdas;
  for (std::size_t i = 2; i < 10; ++i) EXPECT_NEAR(even[i] - even[i - 1], even[1] - even[0], 1e-12);
  EXPECT_EQ(even.back(), std::numeric_limits<double>::infinity());
}

// What motion modules were trained with, by name and as a checkpoint's configuration says it.
TEST(Scheduler, LinearBetasAreThoseOfAConfiguration) {
  const Config config(
      Json::Parse(R"({"beta_schedule":"linear","beta_start":0.00085,"beta_end":0.012})", "c").value(), "c");
  const SchedulerConfig read = ReadSchedulerConfig(config, "DDIMScheduler").value();
  const TrainedSchedule linear = TrainedSchedule::Linear(1000, 0.00085, 0.012);
  const TrainedSchedule scaled = TrainedSchedule::ScaledLinear(1000, 0.00085, 0.012);
  for (const double time : {0.0, 1.0, 333.0, 999.0})
    EXPECT_NEAR(linear.LambdaOf(time), read.trained.LambdaOf(time), 1e-9);
  EXPECT_GT(std::abs(linear.LambdaOf(500) - scaled.LambdaOf(500)), 0.1);
}

TEST(Scheduler, SaysWhatStandsIn) {
  const auto read = [](const char* text, const char* name) {
    return ReadSchedulerConfig(Config(Json::Parse(text, "c").value(), "scheduler_config.json"), name);
  };
  const auto pndm = read(R"({"set_alpha_to_one":false,"solver_type":"bh2"})", "PNDMScheduler");
  ASSERT_TRUE(pndm.ok()) << pndm.status();
  EXPECT_EQ(pndm->stands_in_for, "PNDMScheduler");
  EXPECT_EQ(SchedulerName(*pndm), "dpm++");
  SchedulerConfig chosen = *pndm;
  ASSERT_TRUE(ChooseScheduler("ddim", chosen).ok());
  EXPECT_EQ(chosen.stands_in_for, "");
  EXPECT_FALSE(chosen.final_alpha_one);
  EXPECT_EQ(read("{}", "EulerDiscreteScheduler")->stands_in_for, "");
}

// A cosine schedule has next to no signal at its last step, from which trailing times begin.
TEST(Scheduler, CosineSchedulesOfVelocityStayFinite) {
  for (const char* name : {"ddim", "dpm++", "dpm++-sde", "euler"}) {
    SchedulerConfig config = ReadSchedulerConfig(Config(Json::Parse(R"({"beta_schedule":"squaredcos_cap_v2",
            "prediction_type":"v_prediction","timestep_spacing":"trailing"})",
                                                                    "c")
                                                            .value(),
                                                        "scheduler_config.json"),
                                                 "DDIMScheduler")
                                 .value();
    ASSERT_TRUE(ChooseScheduler(name, config).ok());
    for (const int steps : {1, 8, 32}) {
      const auto grid = MakeNoiseGrid(config, steps);
      ASSERT_TRUE(grid.ok()) << grid.status();
      EXPECT_EQ(grid->times.front(), 999) << name;
      for (const double level : grid->lambdas) EXPECT_FALSE(std::isnan(level)) << name;
    }
  }
}

TEST(Scheduler, ReadsWhatTheModelIsToBeSampledWith) {
  const auto read = [](const char* text) {
    return ReadSchedulerConfig(Config(Json::Parse(text, "c").value(), "scheduler_config.json"),
                               "DDIMScheduler")
        .value();
  };
  const SchedulerConfig told = read(R"({"ringway_steps":8,"ringway_guidance":1})");
  EXPECT_EQ(told.own_steps, 8);
  EXPECT_EQ(told.own_guidance, 1.0);
  const SchedulerConfig silent = read(R"({"ringway_steps":null})");
  EXPECT_EQ(silent.own_steps, 0);
  EXPECT_FALSE(silent.own_guidance.has_value());
}

TEST(Scheduler, RefusesWhatItDoesNotDo) {
  const std::pair<const char*, const char*> wrong[] = {
      {R"({"prediction_type":"flow_prediction"})",
       "\"prediction_type\" is \"flow_prediction\"; allowed: epsilon"},
      {R"({"timestep_spacing":"odd"})", "linspace, leading, trailing"},
      {R"({"rescale_betas_zero_snr":true})", "\"rescale_betas_zero_snr\""},
      {R"({"clip_sample":true})", "\"clip_sample\""},
      {R"({"trained_betas":[0.1]})", "\"trained_betas\""},
      {R"({"beta_schedule":"sigmoid"})", "scaled_linear"},
      {R"({"beta_start":0.5,"beta_end":0.9})", "leaves some signal"},
      {R"({"beta_start":0,"beta_end":0.9})", "above 0"},
      {R"({"steps_offset":1000})", "less than num_train_timesteps"},
      {R"({"algorithm_type":"dpmsolver"})", "dpmsolver++, sde-dpmsolver++"},
      {R"({"solver_type":"heun"})", "midpoint"},
      {R"({"solver_order":3})", "from 1 to 2"},
      {R"({"ringway_steps":0})", "\"ringway_steps\" is 0; allowed: an integer from 1 to 1000"},
      {R"({"ringway_guidance":101})", "\"ringway_guidance\" is 101; allowed: a number from 0 to 100"},
      {R"({"ringway_guidance":"3"})", "\"ringway_guidance\""}};
  for (const auto& [text, says] : wrong) {
    const auto config = ReadSchedulerConfig(Config(Json::Parse(text, "c").value(), "scheduler_config.json"),
                                            "DPMSolverMultistepScheduler");
    EXPECT_THAT(std::string(config.status().message()), HasSubstr(says)) << text;
    EXPECT_THAT(std::string(config.status().message()), HasSubstr("scheduler_config.json")) << text;
  }
  EXPECT_THAT(std::string(ReadSchedulerConfig(Config(Json::Parse("{}", "c").value(), "s.json"), "VPScheduler")
                              .status()
                              .message()),
              HasSubstr("\"VPScheduler\"; allowed: DPMSolverMultistepScheduler"));
  SchedulerConfig config;
  EXPECT_THAT(std::string(ChooseScheduler("dpm", config).message()), HasSubstr("\"dpm\"; allowed: dpm++"));
  EXPECT_THAT(std::string(MakeNoiseGrid(config, 1000).status().message()), HasSubstr("steps is 1000"));
  EXPECT_THAT(std::string(MakeNoiseGrid(config, 10, 0.05).status().message()), HasSubstr("leaves none"));
  EXPECT_THAT(std::string(MakeNoiseGrid(config, 10, 1.5).status().message()), HasSubstr("strength is 1.5"));
  ASSERT_TRUE(ChooseScheduler("lcm", config).ok());
  EXPECT_THAT(std::string(MakeNoiseGrid(config, 51).status().message()), HasSubstr("50 original steps"));
}

// Whatever is asked for within the bounds: levels rise, times are trained ones.
TEST(Scheduler, EveryGridRises) {
  for (const char* name : {"dpm++", "dpm++-karras", "dpm++-log-snr", "euler", "euler-karras", "ddim", "lcm"})
    for (const TimeSpacing spacing : {TimeSpacing::kLinspace, TimeSpacing::kLeading, TimeSpacing::kTrailing})
      for (const int steps : {1, 2, 3, 7, 49, 50, 333, 998}) {
        SchedulerConfig config = Configured(name);
        config.time_spacing = spacing;
        config.steps_offset = 1;
        const auto grid = MakeNoiseGrid(config, steps);
        if (!grid.ok()) {
          EXPECT_GT(steps, config.solver == Solver::kLcm ? 50 : 998) << grid.status();
          continue;
        }
        for (std::size_t i = 0; i < grid->times.size(); ++i) {
          EXPECT_LT(grid->lambdas[i], grid->lambdas[i + 1]) << name << " " << steps;
          EXPECT_TRUE(grid->times[i] >= 0 && grid->times[i] <= 999) << name << " " << steps;
        }
      }
}

}  // namespace
}  // namespace ringway::engine
