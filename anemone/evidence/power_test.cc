#include "anemone/evidence/power.h"

#include <gtest/gtest.h>

#include "anemone/base/error.h"
#include "anemone/evidence/placement.h"

namespace anemone::evidence {
namespace {

// 2026-11-30T18:00:00Z, in California.
constexpr double kStart = 1796061600;

// Samples of 250 ms, the first of which ends 0.4 s past the hour; `watts` of each.
std::string log_of(const std::vector<double>& watts) {
  std::string text = "Machine model: Mac16,1\n\n";
  double end = 0.4;
  for (const double power : watts) {
    const int second = static_cast<int>(end);
    text += "*** Sampled system activity (Mon Nov 30 10:00:" + std::string(second < 10 ? "0" : "") +
            std::to_string(second) + " 2026 -0800) (250.00ms elapsed) ***\n\n" +
            "CPU Power: 900 mW\nANE Power: " + std::to_string(static_cast<int>(power * 1000)) +
            " mW\nCombined Power (CPU + GPU + ANE): 900 mW\n\n";
    end += 0.25;
  }
  return text;
}

TEST(Power, IsReadWithTimesFinerThanTheyArePrinted) {
  const auto samples = parse_power_log(log_of(std::vector<double>(20, 0.5)), "power.txt");
  ASSERT_EQ(samples.size(), 20u);
  EXPECT_NEAR(samples[0].to_seconds, kStart + 0.4, 0.15);
  EXPECT_NEAR(samples[19].to_seconds - samples[0].to_seconds, 19 * 0.25, 1e-6);
  EXPECT_NEAR(samples[3].to_seconds - samples[3].from_seconds, 0.25, 1e-6);
  EXPECT_EQ(samples[7].watts, 0.5);
}

TEST(Power, IsRefusedWhereThereIsNone) {
  for (const char* text : {"", "ANE Power: 3 mW\n", "*** Sampled system activity (now) ***\n",
                           "*** Sampled system activity (Mon Nov 30 10:00:00 2026 -0800) (ms) ***\n"
                           "ANE Power: 3 mW\n"}) {
    std::string message;
    try {
      parse_power_log(text, "power.txt");
    } catch (const Error& error) {
      message = error.what();
    }
    EXPECT_EQ(message,
              "power.txt: holds no sample of the Neural Engine's power, as the text that "
              "'powermetrics --samplers ane_power' prints has them")
        << text;
  }
}

Record record_of(double from, double to) {
  Record record{.experiment = "block", .runner = "coreml"};
  Units units;
  units.predicting_from = kStart + from;
  units.predicting_to = kStart + to;
  units.steps_done = 500;
  record.units["cpu+ane"] = units;
  return record;
}

TEST(Power, GivesEnergyWhilePredictingAndAtRest) {
  // 2 W from 5 s to 10 s, and 0.1 W before and after.
  std::vector<double> watts;
  for (int i = 0; i < 60; ++i) watts.push_back(i >= 19 && i < 39 ? 2.0 : 0.1);
  const auto samples = parse_power_log(log_of(watts), "power.txt");
  std::vector<Record> records = {record_of(6, 9)};
  EXPECT_EQ(add_energy(records, samples), std::vector<std::string>{});
  const Energy energy = *records[0].units.at("cpu+ane").ane_energy;
  EXPECT_NEAR(energy.joules, 6, 0.3);
  EXPECT_EQ(energy.predictions, 500);
  EXPECT_LT(energy.idle_joules, energy.joules / kEnergyRatio);
  EXPECT_GT(energy.idle_joules, 0.2);
}

TEST(Power, IsNotMadeUp) {
  const auto samples = parse_power_log(log_of(std::vector<double>(60, 0.2)), "power.txt");
  std::vector<Record> records = {record_of(60, 70), record_of(5, 5.2), record_of(0, 1)};
  records[2].units["cpu+ane"].predicting_from.reset();
  EXPECT_EQ(add_energy(records, samples),
            (std::vector<std::string>{
                "block, cpu+ane: the power was not sampled while it was predicting",
                "block, cpu+ane: it was predicting for less than three samples; take more steps or "
                "a shorter interval",
                "block, cpu+ane: it does not say when it was predicting"}));
  for (const Record& record : records) EXPECT_FALSE(record.units.at("cpu+ane").ane_energy);
  // Never 0 W: that is what a system says that does not know.
  const auto silent = parse_power_log(log_of(std::vector<double>(60, 0)), "power.txt");
  records = {record_of(5, 9)};
  EXPECT_EQ(add_energy(records, silent),
            std::vector<std::string>{
                "the power is 0 throughout: unavailable, as some systems report it"});
  EXPECT_FALSE(records[0].units.at("cpu+ane").ane_energy);
  records = {record_of(-5, 100)};
  EXPECT_EQ(
      add_energy(records, samples),
      std::vector<std::string>{"no sample was taken at rest: there is nothing to compare with"});
}

}  // namespace
}  // namespace anemone::evidence
