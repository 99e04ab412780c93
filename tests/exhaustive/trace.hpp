// One random trace, through the model and through the product.
//
// Lives as long as its world, which it advances. One thread.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exhaustive/product.hpp"
#include "exhaustive/world.hpp"

namespace redlock::exhaustive {

// How often traces came to what is seldom, each counted once an event.
struct Reached {
  std::uint64_t kept_back = 0;
  std::uint64_t unknown_scripts = 0;
  std::uint64_t carried = 0;
  std::uint64_t waiting_to_close = 0;
  std::uint64_t suspected = 0;

  Reached& operator+=(const Reached& more) {
    kept_back += more.kept_back;
    unknown_scripts += more.unknown_scripts;
    carried += more.carried;
    waiting_to_close += more.waiting_to_close;
    suspected += more.suspected;
    return *this;
  }
};

class Trace {
 public:
  Trace(World& world, Dictionary& dictionary, std::uint64_t seed);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // False: it is over.
  bool advance();
  // What the two disagree on, or an empty text.
  [[nodiscard]] const std::string& difference() const { return difference_; }
  [[nodiscard]] bool cut_short() const { return cut_short_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] const Reached& reached() const { return reached_; }
  // The latest event and the state it led to.
  [[nodiscard]] const std::string& told() const { return told_; }
  void tell(bool wanted) { tells_ = wanted; }

 private:
  [[nodiscard]] bool choose(Move& move);
  [[nodiscard]] unsigned weight_of(const Move& move) const;
  void interfere();
  void make(Move move);
  void begin(const Move& move, const Client& before);
  void hand_over(const Move& move, const Link& link);
  void note_executed(const Move& move, const Link& link);
  void step(const Move& move, bool connects);
  void apply(const Move& move);

  void note_reached();
  void compare();
  void compare_told();
  void compare_link(int server);
  void compare_queue(const std::string& where, const Link& link,
                     const ProductWire::Connection* connection);
  void compare_left_behind(int server);
  void compare_due();
  void differ(const std::string& what, const std::string& model, const std::string& product);

  World& world_;
  Dictionary& dictionary_;
  test::SeededEntropy chance_;
  State state_;
  Product product_;
  std::vector<Move> moves_;
  std::vector<Input> model_told_;
  std::array<std::vector<Zombie>, kServersMax> left_behind_;
  std::array<unsigned, 32> weights_{};
  unsigned interference_ = 0;
  std::uint64_t events_ = 0;
  Reached reached_;
  bool cut_short_ = false;
  bool tells_ = false;
  std::string difference_;
  std::string latest_told_;  // by the model
  std::string told_;
};

}  // namespace redlock::exhaustive
