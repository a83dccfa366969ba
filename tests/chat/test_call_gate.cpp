#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

#include "chat/call_gate.h"

namespace memuse::chat {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

void succeed(CallGate& gate, int times) {
  for (int i = 0; i < times; ++i) gate.succeeded();
}

}  // namespace

TEST_CASE("call gate: a rate limit halves the number, once for the calls that were under way together") {
  CallGate gate(16, nullptr);
  const CallGate::Place first = gate.enter();
  const CallGate::Place second = gate.enter();
  gate.rate_limited(first, milliseconds(0));
  CHECK(gate.limit() == 8);
  gate.rate_limited(second, milliseconds(0));
  CHECK(gate.limit() == 8);
  gate.leave();
  gate.leave();
  for (const std::uint32_t expected : {4U, 2U, 1U, 1U}) {
    const CallGate::Place place = gate.enter();
    gate.rate_limited(place, milliseconds(0));
    gate.leave();
    CHECK(gate.limit() == expected);
  }
}

TEST_CASE("call gate: the number grows by one after as many successes, up to where it was") {
  CallGate gate(3, nullptr);
  for (int i = 0; i < 2; ++i) {
    const CallGate::Place place = gate.enter();
    gate.rate_limited(place, milliseconds(0));
    gate.leave();
  }
  REQUIRE(gate.limit() == 1);
  succeed(gate, 1);
  CHECK(gate.limit() == 2);
  succeed(gate, 1);
  CHECK(gate.limit() == 2);
  succeed(gate, 1);
  CHECK(gate.limit() == 3);
  succeed(gate, 100);
  CHECK(gate.limit() == 3);
}

TEST_CASE("call gate: never more inside than the limit, and everybody gets in") {
  CallGate gate(3, nullptr);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> served{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        if (!gate.enter().granted) return;
        const int now = ++inside;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::yield();
        --inside;
        ++served;
        gate.leave();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(served == 240);
  CHECK(most <= 3);
}

TEST_CASE("call gate: nobody enters during the shared pause, and the stop flag ends every wait") {
  std::atomic<bool> stop{false};
  CallGate gate(4, &stop);
  const CallGate::Place place = gate.enter();
  gate.leave();
  const auto before = Clock::now();
  gate.rate_limited(place, milliseconds(120));
  CHECK(gate.enter().granted);
  CHECK(Clock::now() - before >= milliseconds(120));
  gate.leave();

  gate.rate_limited(place, std::chrono::hours(1));
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { refused += gate.enter().granted ? 0 : 1; });
  }
  std::this_thread::sleep_for(milliseconds(30));
  CHECK(refused == 0);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(refused == 8);
  CHECK_FALSE(sleep_unless_stopped(std::chrono::hours(1), &stop));
}

}  // namespace memuse::chat
