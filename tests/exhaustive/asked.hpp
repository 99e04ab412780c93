// A production operation as plain data: when it began and what it has heard.
//
// Operations cannot be copied, and the states of a small world are copied all the time. So the
// operation is made anew and told all of it again whenever it is to decide. Every node has the same
// answer time, so that only its end has to be told the time.
// Times are ticks since the world began. Pure values.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "redlock/algorithm/operation.hpp"

namespace redlock::exhaustive {

inline constexpr std::size_t kAskedServers = 3;

struct AskedTerms {
  int ttl = 4;     // in ticks, as all of them
  int answer = 1;  // until a silent server is given up
};

class Asked {
 public:
  enum class Kind : std::uint8_t { none, take, extend, repair };
  enum class Said : std::uint8_t { nothing, granted, denied, cut_off, not_reached };

  // A repair asks those of `nodes`, a mask; the others ask all.
  void begin(Kind kind, int by, int now, unsigned nodes = 7);
  void end() { *this = Asked(); }
  void hear(std::size_t node, Said said, int now) { votes_[node] = {said, now}; }

  [[nodiscard]] bool running() const { return kind_ != Kind::none; }
  [[nodiscard]] bool asks(std::size_t node) const { return (nodes_ >> node & 1U) != 0; }
  [[nodiscard]] bool heard(std::size_t node) const { return votes_[node].said != Said::nothing; }
  [[nodiscard]] bool overdue(const AskedTerms& terms, int now) const {
    return running() && now >= began_ + terms.answer;
  }
  [[nodiscard]] int by() const { return by_; }
  // The machine itself, with what it asked already taken from it.
  [[nodiscard]] std::unique_ptr<Operation> machine(const AskedTerms& terms) const;
  // What distinguishes it, of all nodes and of one.
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] std::string bytes_of(std::size_t node) const;

 private:
  struct Vote {
    Said said = Said::nothing;
    int at = 0;
  };
  [[nodiscard]] std::unique_ptr<Operation> fresh(const AskedTerms& terms) const;

  Kind kind_ = Kind::none;
  int by_ = 0;
  int began_ = 0;
  unsigned nodes_ = 0;
  std::array<Vote, kAskedServers> votes_{};
};

// The world's ticks in the core's time.
[[nodiscard]] Instant instant_of(int ticks);
[[nodiscard]] Duration span_of(int ticks);
// Rounded up, as far as whole ticks go: what is left is less than that.
[[nodiscard]] int ticks_of(Duration span);

}  // namespace redlock::exhaustive
