// The twin finds nothing wrong with pass and join, and each thing that is wrong with edits of them.
#include <array>
#include <optional>

#include "sim/line_rules.hpp"
#include "sim/random.hpp"
#include "sim/safety/line_twin.hpp"

namespace redlock::sim::line_twin_test {
namespace {

constexpr std::array<const char*, 6> kTokens{"a", "b", "c", "d", "e", "f"};
constexpr int kSteps = 20'000;

// An edit of a script's text; of both, where it is of what they share.
struct Edit {
  const char* name;
  std::string_view from;
  std::string_view to;
};

class TwinTest : public LineRules, public ServerObserver {
 protected:
  TwinTest() { server_.observe(this); }

  void command_executed(const ServerSession&, const Arguments&, std::string&) override {}
  void published(std::string_view channel, std::string_view message,
                 std::int64_t receivers) override {
    twin_.published(channel, message, receivers);
  }

  static std::string edited(std::string_view text, const std::optional<Edit>& edit) {
    std::string copy(text);
    if (!edit) return copy;
    const std::size_t at = copy.find(edit->from);
    if (at != std::string::npos) copy.replace(at, edit->from.size(), edit->to);
    return copy;
  }
  // What the twin says of the command, carried out by this text.
  std::string judged(const Script& script, std::string_view text, Arguments given) {
    given.insert(given.begin(), {"EVALSHA", script.sha1, "1", "k"});
    const Deed deed = deed_of(given);
    EXPECT_TRUE(deed.joins || deed.passes);
    twin_.begins(deed, look_at_line(server_.keyspace(), "k", now_ms_), now_ms_, true);
    given[0] = "EVAL";
    given[1] = text;
    const std::string answer = run(given);
    return twin_.ends(answer, look_at_line(server_.keyspace(), "k", now_ms_));
  }
  std::string step(const std::string& pass_text, const std::string& join_text) {
    const std::string token = random_.pick(kTokens);
    if (random_.chance(1, 3)) wait(random_.between(0, random_.chance(1, 20) ? 20'000 : 600));
    if (random_.chance(1, 6)) {
      channels_.contains(listeners_[token].id) ? unsubscribe(token) : listen(token);
    }
    if (random_.chance(1, 6)) run({"SET", "k", random_.pick(kTokens), "NX", "PX", "700"});
    if (random_.chance(1, 3)) return judged(scripts::pass, pass_text, {token});
    const std::string ticket = std::to_string(token[0] + random_.between(0, 3));
    if (!random_.chance(1, 8)) ++echo_;
    const std::string echo = std::to_string(echo_ - random_.between(0, 1));
    const std::string ttl = std::to_string(random_.between(100, 20'000));
    constexpr std::array<std::string_view, 7> kWishes{"0", "2", "3", "1", "1", "1", "1"};
    const std::string_view policy = random_.pick(kWishes);
    return judged(scripts::join, join_text, {token, ttl, ticket, token, echo, policy});
  }
  // The first complaint of many steps.
  std::string first_complaint(const std::optional<Edit>& edit) {
    const std::string pass_text = edited(scripts::pass.text, edit);
    const std::string join_text = edited(scripts::join.text, edit);
    if (edit) {
      EXPECT_TRUE(pass_text != scripts::pass.text || join_text != scripts::join.text) << edit->name;
    }
    for (int i = 0; i < kSteps; ++i) {
      const std::string wrong = step(pass_text, join_text);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  LineTwin twin_;
  Random random_{7};
  std::int64_t echo_ = 10;
};

TEST_F(TwinTest, NothingIsWrongWithPassAndJoin) { EXPECT_EQ(first_complaint({}), ""); }

class EditedScripts : public TwinTest, public testing::WithParamInterface<Edit> {};

TEST_P(EditedScripts, AreFoundOut) { EXPECT_NE(first_complaint(GetParam()), ""); }

constexpr std::array kEdits{
    Edit{"PassWithoutCompare", "local had, rest = held == me, held",
         "local had, rest = true, held"},
    Edit{"PassStaysInLine", "local _, left = leave(me, (held == me or named) and '')\n",
         "local left\n"},
    Edit{"NextNotTold", "then tell_next(second, 1, ttl) else", "then else"},
    Edit{"FirstNotToldBehindThePassedOver", "else tell_next(at(0), 0, ttl, who) end", "end"},
    Edit{"NextNotToldBehindALeave", "elseif first == me then\nserve(false)\nend", "end"},
    Edit{"DeadHeadNotStruckOut", "if not leave(who, channel and '') then return true end\n",
         "if true then return true end\n"},
    Edit{"WhoHearsNothingHasTheLock",
         "if heard == 0 or type(heard) == 'table' then call('DEL', key) end", ""},
    Edit{"UnheardOfAreServed", "- heard < 15", "- heard < 1500"},
    Edit{"TheLastIsServedFirst", "unpack(call('ZRANGE', line, place, place + 1))", "at(-1)"},
    Edit{"HandedOnForAnotherTtl", "'PX', ttl)", "'PX', ttl + 1)"},
    Edit{
        "ToldOfAnotherJoin",
        "'granted ' .. echo .. ' ' .. who)\nend\nif heard == 0 or type(heard) == 'table' then call",
        "'granted ' .. echo + 1 .. ' ' .. who)\nend\nif heard == 0 or type(heard) == 'table' then "
        "call"},
    Edit{"NotKnownBehindWhichJoin", "call('HSET', waiters, '', echo .. ' ' .. who)", "1"},
    Edit{"LineWithoutAnExpiry", "redis.call('PEXPIRE', line, 15000)\n", ""},
    Edit{"WaitersWithoutAnExpiry", "keep(waiters, 15000)\n", ""},
    Edit{"NoYield", "if held == me then\nredis.call('DEL', key)\nrest = false\nelseif was_in",
         "if held == me then redis.call('PEXPIRE', key, ARGV[2]) leave(me)\n"
         "return redis.status_reply('GRANTED')\nelseif was_in"},
    Edit{"ServedThoughItOnlyStands", "had and ARGV[6] ~= '0' or", "had or"},
    Edit{"FreeLockServedThoughItDoesNotTake", "(not rest or reads and open) and ARGV[6] == '1'",
         "not held"},
    Edit{"FreeLockServedThoughItYields", "(not rest or reads and open) and ARGV[6] == '1'",
         "not held and ARGV[6] ~= '0' and ARGV[6] ~= '3'"},
    Edit{"FreeLockServedThoughItKeeps", "(not rest or reads and open) and ARGV[6] == '1'",
         "not held and ARGV[6] ~= '0' and ARGV[6] ~= '2'"},
    Edit{"NotKept", "had and ARGV[6] ~= '0' or", "had and ARGV[6] ~= '0' and ARGV[6] ~= '3' or"},
    Edit{"NobodyServedBehindTheOneWhoYields", "had and ARGV[6] ~= '0' or",
         "had and ARGV[6] ~= '0' and not yields or"},
    Edit{"KeptThoughItOnlyStands",
         "if held == me then\nredis.call('DEL', key)\nrest = false\nelseif was_in",
         "if held == me and ARGV[6] ~= '0' then\nredis.call('DEL', key)\nrest = false\n"
         "elseif was_in"},
    Edit{"ServedThoughItYields", "if not channel or passed_over then", "if not channel then"},
    Edit{"NotKnownWhoYields", "(yields and ' -' or '')", "''"},
    Edit{"NextNotToldBehindTheOneWhoYields", ", yields and me)", ")"},
    Edit{"HolderNotForgotten", "if holder == me then redis.call('HDEL', waiters,",
         "if false then redis.call('HDEL', waiters,"},
    Edit{"TakenPastTheLine", "serve(true)\nheld = redis.call('GET', key)\n",
         "redis.call('SET', key, me, 'PX', ARGV[2]) leave(me)\nheld = me\n"},
    Edit{"OvertakenJoinServed", "if tonumber(latest) > tonumber(ARGV[5]) then", "if false then"},
    Edit{"NeighboursNotLookedAt", "if not who or entry(who)", "if true or entry(who)"},
    Edit{"ToldAnotherPlace", "return standing(redis.call('ZRANK', line, me))",
         "return standing(redis.call('ZRANK', line, me) + 1)"},
};

INSTANTIATE_TEST_SUITE_P(Each, EditedScripts, testing::ValuesIn(kEdits),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace redlock::sim::line_twin_test
