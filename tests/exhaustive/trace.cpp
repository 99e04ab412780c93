// Drawing events, and making them happen on both sides.
#include "exhaustive/trace.hpp"

#include <algorithm>
#include <stdexcept>

namespace redlock::exhaustive {

namespace {

constexpr std::uint64_t kEventsMax = 70;
constexpr int kTurnsMax = 8;

// The trace is about client 0; the name of the other stands under keys that are taken.
constexpr Byte kOther = 1;

std::string reply_bytes(const World& world, const Message& message) {
  if (message.answer == Answer::unknown_script) return "-NOSCRIPT No matching script.\r\n";
  const BookedCommand& booked = world.book().at(message.command);
  const bool granted = message.answer == Answer::granted;
  if (booked.role != Role::take) return granted ? ":1\r\n" : ":0\r\n";
  if (world.settings().lock == LockKind::quorum) return granted ? "+OK\r\n" : "$-1\r\n";
  if (!granted) return ":0\r\n";
  const std::string stamp = world.book().stamp(booked.token, world.settings());
  return "$" + std::to_string(stamp.size()) + "\r\n" + stamp + "\r\n";
}

}  // namespace

Trace::Trace(World& world, Dictionary& dictionary, std::uint64_t seed)
    : world_(world),
      dictionary_(dictionary),
      chance_(seed),
      state_(world.root()),
      product_(world.settings(), world.book(), dictionary, seed ^ 0x5eedU) {
  world_.tell_inputs(&model_told_);
  // Each trace likes some events more than others, so that rare ones also come in crowds.
  for (unsigned& weight : weights_) weight = 1U << chance_.between(0, 5);
  interference_ = chance_.next() % 2 == 0 ? static_cast<unsigned>(chance_.between(1, 30)) : 0;
}

Trace::~Trace() { world_.tell_inputs(nullptr); }

bool Trace::advance() {
  Move move;
  if (events_ == kEventsMax || !choose(move)) return false;
  ++events_;
  if (chance_.between(0, 99) < interference_) interfere();
  const State before = state_;
  try {
    make(move);
  } catch (const std::length_error&) {
    cut_short_ = true;
    return false;
  } catch (const std::logic_error& error) {
    difference_ = error.what();
  }
  const bool over = state_.clients[0].phase == Phase::finished;
  if (difference_.empty()) over ? compare_told() : compare();
  note_reached();
  if (tells_) {
    told_ = describe(world_, before, move) + "  " + describe(world_, state_);
    if (!latest_told_.empty()) told_ += " | told" + latest_told_;
  }
  return !over && !cut_short_ && difference_.empty();
}

void Trace::note_reached() {
  if (state_.clients[0].hedged.kept != 0) ++reached_.kept_back;
  for (const Link& link : state_.links[0]) {
    if (link.carried != 0) ++reached_.carried;
    if (link.closing) ++reached_.waiting_to_close;
    if (link.suspected) ++reached_.suspected;
    if (link.queue[0].answer == Answer::unknown_script) ++reached_.unknown_scripts;
  }
}

unsigned Trace::weight_of(const Move& move) const {
  if (move.client != 0) return 0;
  // What is left alone is not drawn: the product knows.
  if (move.kind != MoveKind::execute_zombie && move.detail != 0) return 0;
  if (move.kind == MoveKind::lag || move.kind == MoveKind::kill) return 0;
  // Nothing comes of waiting when there is nobody who waits.
  const bool waits = state_.clients[0].phase != Phase::idle;
  if (move.kind == MoveKind::tick && !waits) return 1;
  return weights_[static_cast<std::size_t>(move.kind)];
}

bool Trace::choose(Move& chosen) {
  world_.list_moves(state_, moves_);
  std::uint64_t total = 0;
  for (const Move& move : moves_) total += weight_of(move);
  if (total == 0) return false;
  std::uint64_t at = chance_.next() % total;
  for (const Move& move : moves_) {
    const unsigned weight = weight_of(move);
    if (at < weight) {
      chosen = move;
      return true;
    }
    at -= weight;
  }
  return false;
}

// Somebody else takes a free lock.
void Trace::interfere() {
  const auto servers = static_cast<std::uint64_t>(world_.settings().servers);
  Server& server = state_.servers[chance_.next() % servers];
  if (server.owner != kNoOwner || server.down != 0) return;
  server.owner = kOther;
  server.round = server.token = 0;
  server.left = static_cast<Ticks>(world_.settings().life());
}

void Trace::apply(const Move& move) {
  const std::string wrong = world_.apply(state_, move);
  if (!wrong.empty()) throw std::logic_error(wrong);
}

void Trace::make(Move move) {
  const Link link = state_.links[0][move.server];
  const Client client = state_.clients[0];
  switch (move.kind) {
    case MoveKind::start:
    case MoveKind::extend:
    case MoveKind::release:
      begin(move, client);
      break;
    case MoveKind::deliver:
    case MoveKind::admit:
    case MoveKind::notice:
    case MoveKind::reset:
      hand_over(move, link);
      [[fallthrough]];
    case MoveKind::turn:
      step(move, false);
      break;
    default:
      note_executed(move, link);
      apply(move);
      if (move.kind == MoveKind::tick) product_.tick();
  }
  for (int s = 0; s < world_.settings().servers; ++s) {
    product_.wire().set_down(s, state_.servers[static_cast<std::size_t>(s)].down != 0);
  }
  for (int i = 0; i < kTurnsMax && product_.wire().any_unconnected(); ++i) {
    step({MoveKind::gain, 0, 0, 0}, true);
  }
}

void Trace::begin(const Move& move, const Client& before) {
  Move follows = move;
  follows.detail = byte(product_.left_alone());
  world_.set_order(product_.order());
  apply(follows);
  Root root;
  if (move.kind == MoveKind::extend) root = {Root::Kind::extend, before.held, false};
  if (move.kind == MoveKind::release) root = {Root::Kind::release, before.held, false};
  product_.begin(root, before.round);
}

// Both have one turn: the product reads and is then told the time, the model in two moves. Any
// other kind of move than those of a turn stands for none.
void Trace::step(const Move& move, bool connects) {
  Move follows = move;
  follows.detail = byte(product_.left_alone());
  world_.set_order(product_.order());
  const bool reads = !connects && move.kind != MoveKind::turn;
  const auto links = state_.links[0];
  if (reads) apply(follows);
  if (world_.wants_turn(state_, 0)) {
    // Within one turn the model's new connection is written on, and the product's is not yet.
    for (std::size_t s = 0; reads && s < links.size(); ++s) {
      if (!links[s].open && state_.links[0][s].open) throw std::length_error("opened in between");
    }
    apply({MoveKind::turn, 0, 0, follows.detail});
  }
  product_.step(connects);
}

void Trace::hand_over(const Move& move, const Link& link) {
  ProductWire::Connection* const connection = product_.wire().to(move.server);
  if (connection == nullptr) throw std::logic_error("the product has no connection there");
  if (move.kind == MoveKind::admit) {
    connection->incoming = "+OK\r\n";
  } else if (move.kind == MoveKind::deliver) {
    connection->incoming = reply_bytes(world_, link.queue[0]);
    connection->unanswered.erase(connection->unanswered.begin());
  } else {
    connection->ended = true;
  }
}

void Trace::note_executed(const Move& move, const Link& link) {
  ProductWire::Connection* const connection = product_.wire().to(move.server);
  if (move.kind == MoveKind::execute) {
    const auto next =
        std::ranges::find(connection->unanswered, false, &ProductWire::Sent::executed);
    next->executed = true;
  } else if (move.kind == MoveKind::crash) {
    if (connection != nullptr) connection->broken = true;
    left_behind_[move.server].clear();
  } else if (move.kind == MoveKind::execute_zombie) {
    auto& left = left_behind_[move.server];
    const auto zombie = std::ranges::find(left, link.zombies[move.detail]);
    *zombie >>= 8U;
    if (*zombie == 0) left.erase(zombie);
  }
}

}  // namespace redlock::exhaustive
