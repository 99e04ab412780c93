// What each script of wire/scripts.hpp does; its answer is appended in RESP to `out`.
//
// Each does the commands of its Lua text in their order, so that both leave the same behind
// wherever a command is refused. All throw ScriptError.
#pragma once
#include <string>

#include "redlock/memory/script_call.hpp"

namespace redlock::memory {

void run_pass(ScriptCall& call, std::string& out);
void run_join(ScriptCall& call, std::string& out);
void run_set_if_absent(ScriptCall& call, std::string& out);
void run_extend_if_equal(ScriptCall& call, std::string& out);
void run_swap_if_equal(ScriptCall& call, std::string& out);
void run_check_equal(ScriptCall& call, std::string& out);
void run_inspect(ScriptCall& call, std::string& out);
void run_raise_fence(ScriptCall& call, std::string& out);
void run_set_all_if_absent(ScriptCall& call, std::string& out);
void run_pass_all(ScriptCall& call, std::string& out);
void run_extend_all(ScriptCall& call, std::string& out);
void run_swap_all(ScriptCall& call, std::string& out);
void run_check_all(ScriptCall& call, std::string& out);
void run_share_if_free(ScriptCall& call, std::string& out);
void run_promote(ScriptCall& call, std::string& out);
void run_demote(ScriptCall& call, std::string& out);
void run_permit_take(ScriptCall& call, std::string& out);
void run_permit_join(ScriptCall& call, std::string& out);
void run_permit_leave(ScriptCall& call, std::string& out);
void run_permit_pass(ScriptCall& call, std::string& out);
void run_stamp_take(ScriptCall& call, std::string& out);
void run_stamp_undo(ScriptCall& call, std::string& out);
void run_stamp_release(ScriptCall& call, std::string& out);
void run_stamp_check(ScriptCall& call, std::string& out);

}  // namespace redlock::memory
