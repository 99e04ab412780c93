// What is said, and heard, on connections that were set aside.
#include "redlock/net/set_aside.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace redlock {

void close_link(Transport& transport, const SetAside& link) {
  const bool read_at_once = link.unanswered_bytes <= transport.read_at_once(link.connection);
  read_at_once ? transport.close(link.connection) : transport.close_behind(link.connection);
}

// As text: nobody is there any more to read that the server does not know the script.
void SetAsideJoins::undo(const SharedCommand& removal) {
  for (Link& aside : links_) {
    const auto is_undone = [&](const OpenJoin& join) {
      return lock_name(*join.undo) == lock_name(*removal);
    };
    if (std::ranges::none_of(aside.joins, is_undone)) continue;
    say(aside.link, encoder_.encode(removal, ScriptForm::text));
  }
}

void SetAsideJoins::withdraw(OperationId operation) noexcept {
  std::erase_if(links_, [&](Link& aside) {
    std::erase_if(aside.joins, [&](const OpenJoin& join) { return join.operation == operation; });
    return aside.joins.empty() && close(aside.link);
  });
}

void SetAsideJoins::say(SetAside& link, std::string_view bytes) {
  while (!bytes.empty()) {
    const IoResult result = transport_.send(link.connection, bytes);
    if (result.state != IoState::progress) return;
    bytes.remove_prefix(result.bytes);
    link.unanswered_bytes += result.bytes;
  }
}

bool SetAsideJoins::has_news(const SetAside& link) {
  std::array<char, kReadAtOnceBytes> unread;
  return transport_.receive(link.connection, unread).state != IoState::blocked;
}

bool SetAsideJoins::close(const SetAside& link) noexcept {
  try {
    close_link(transport_, link);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace redlock
