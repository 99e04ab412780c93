// The embedding: API functions, conversions between RESP and Lua, error texts as in Redis 7.0.
#include "sim/lua_engine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <lua.hpp>
#include <new>
#include <stdexcept>
#include <vector>

#include "sim/sha1.hpp"

namespace redlock::sim {

namespace {

constexpr int kListUsual = 8;
// Garbage is collected when there is so much more of everything, in percent.
constexpr int kCollectAtPercent = 1000;

// The interpreter hands what it was given along with its allocator to whoever asks: for all that is
// called from a script, the fastest way to the script's server.
ScriptHost* current_host(lua_State* lua) {
  void* host = nullptr;
  lua_getallocf(lua, &host);
  return *static_cast<ScriptHost**>(host);
}

// The program's own memory, which gives back what was used last; the C library's took a tenth of
// the time of a script. Without memory the simulator ends.
void* allocate(void* /*host*/, void* bytes, std::size_t before, std::size_t size) noexcept {
  void* const fresh = size == 0 ? nullptr : ::operator new(size);
  if (bytes != nullptr) {
    if (size != 0) std::memcpy(fresh, bytes, std::min(before, size));
    ::operator delete(bytes);
  }
  return fresh;
}

void push_text(lua_State* lua, std::string_view text) {
  lua_pushlstring(lua, text.data(), text.size());
}

void push_field_table(lua_State* lua, const char* field, std::string_view text) {
  lua_createtable(lua, 0, 1);
  push_text(lua, text);
  lua_setfield(lua, -2, field);
}

// The number that a line of an answer of our own carries.
std::int64_t number_in(std::string_view line) {
  std::int64_t number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number);
  return number;
}

// Pushes the RESP value at the front of `text` and returns its length.
std::size_t push_resp(lua_State* lua, std::string_view text) {
  const std::size_t line_end = text.find("\r\n");
  const std::string_view line = text.substr(1, line_end - 1);
  std::size_t size = line_end + 2;
  const std::int64_t number = text.front() == '+' || text.front() == '-' ? 0 : number_in(line);
  switch (text.front()) {
    case '+':
      push_field_table(lua, "ok", line);
      return size;
    case '-':
      push_field_table(lua, "err", line);
      return size;
    case ':':
      lua_pushnumber(lua, static_cast<lua_Number>(number));
      return size;
    case '$':
      if (number < 0) {
        lua_pushboolean(lua, 0);
        return size;
      }
      push_text(lua, text.substr(size, static_cast<std::size_t>(number)));
      return size + static_cast<std::size_t>(number) + 2;
    default:
      break;
  }
  lua_createtable(lua, static_cast<int>(number), 0);
  for (int i = 1; i <= number; ++i) {
    size += push_resp(lua, text.substr(size));
    lua_rawseti(lua, -2, i);
  }
  return size;
}

// Appends the value on top of the stack, in RESP, and pops it.
void append_from_stack(lua_State* lua, std::string& out);

void append_table(lua_State* lua, std::string& out) {
  lua_getfield(lua, -1, "err");
  if (lua_isstring(lua, -1) != 0) {
    append_error(out, lua_tostring(lua, -1));
    lua_pop(lua, 2);
    return;
  }
  lua_pop(lua, 1);
  lua_getfield(lua, -1, "ok");
  if (lua_isstring(lua, -1) != 0) {
    append_status(out, lua_tostring(lua, -1));
    lua_pop(lua, 2);
    return;
  }
  lua_pop(lua, 1);
  std::string elements;
  std::size_t count = 0;
  for (int i = 1;; ++i) {
    lua_rawgeti(lua, -1, i);
    if (lua_isnil(lua, -1)) break;
    append_from_stack(lua, elements);
    ++count;
  }
  lua_pop(lua, 2);
  append_array_header(out, count);
  out.append(elements);
}

void append_from_stack(lua_State* lua, std::string& out) {
  switch (lua_type(lua, -1)) {
    case LUA_TSTRING: {
      std::size_t size = 0;
      const char* text = lua_tolstring(lua, -1, &size);
      append_bulk(out, {text, size});
      break;
    }
    case LUA_TNUMBER:
      append_integer(out, static_cast<std::int64_t>(lua_tonumber(lua, -1)));
      break;
    case LUA_TBOOLEAN:
      if (lua_toboolean(lua, -1) != 0) {
        append_integer(out, 1);
      } else {
        append_nil(out);
      }
      break;
    case LUA_TTABLE:
      append_table(lua, out);
      return;
    default:
      append_nil(out);
  }
  lua_pop(lua, 1);
}

// Holds what a C function may not keep in locals, because lua_error() skips destructors.
struct CallBuffers {
  std::vector<std::string> numbers;
  Arguments arguments;
  std::string reply;
};

// As Redis writes it. A whole number, as nearly all are, has its digits and nothing else.
void append_number(lua_Number number, std::string& out) {
  constexpr lua_Number kWholeMax = 1e15;
  std::array<char, 64> text;
  const bool small = number >= -kWholeMax && number <= kWholeMax;
  const auto whole = small ? static_cast<std::int64_t>(number) : 0;
  // A zero may be less than none.
  if (static_cast<lua_Number>(whole) == number && !std::signbit(whole == 0 ? number : 0)) {
    out.assign(text.data(), std::to_chars(text.data(), text.data() + text.size(), whole).ptr);
    return;
  }
  const int size = std::snprintf(text.data(), text.size(), "%.17g", number);
  out.assign(text.data(), static_cast<std::size_t>(size));
}

// False: an argument is neither string nor number.
bool collect_arguments(lua_State* lua, CallBuffers& buffers) {
  const int count = lua_gettop(lua);
  buffers.numbers.clear();
  buffers.numbers.reserve(static_cast<std::size_t>(count));
  buffers.arguments.clear();
  for (int i = 1; i <= count; ++i) {
    if (lua_type(lua, i) == LUA_TNUMBER) {
      append_number(lua_tonumber(lua, i), buffers.numbers.emplace_back());
      buffers.arguments.emplace_back(buffers.numbers.back());
    } else if (lua_type(lua, i) == LUA_TSTRING) {
      std::size_t size = 0;
      const char* text = lua_tolstring(lua, i, &size);
      buffers.arguments.emplace_back(text, size);
    } else {
      return false;
    }
  }
  return true;
}

// Leaves the answer, maybe an error table, on the stack.
void call_command(lua_State* lua) {
  static thread_local CallBuffers buffers;
  if (lua_gettop(lua) == 0) {
    push_field_table(lua, "err",
                     "ERR Please specify at least one argument for this redis lib call");
  } else if (!collect_arguments(lua, buffers)) {
    push_field_table(lua, "err", "ERR Lua redis lib command arguments must be strings or integers");
  } else {
    buffers.reply.clear();
    current_host(lua)->call_from_script(buffers.arguments, buffers.reply);
    push_resp(lua, buffers.reply);
  }
}

bool is_error_table(lua_State* lua) {
  if (lua_type(lua, -1) != LUA_TTABLE) return false;
  lua_getfield(lua, -1, "err");
  const bool error = lua_isstring(lua, -1) != 0;
  lua_pop(lua, 1);
  return error;
}

int api_call(lua_State* lua) {
  call_command(lua);
  return is_error_table(lua) ? lua_error(lua) : 1;
}

int api_pcall(lua_State* lua) {
  call_command(lua);
  return 1;
}

int api_status_reply(lua_State* lua) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, 1, &size);
  push_field_table(lua, "ok", {text, size});
  return 1;
}

// A text without a blank has no error code of its own and gets the general one.
int api_error_reply(lua_State* lua) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, 1, &size);
  std::string_view message(text, size);
  if (message.starts_with('-')) message.remove_prefix(1);
  if (message.find(' ') == std::string_view::npos) {
    lua_pushlstring(lua, "ERR ", 4);
    push_text(lua, message);
    lua_concat(lua, 2);
    message = lua_tostring(lua, -1);
  }
  push_field_table(lua, "err", message);
  return 1;
}

int api_sha1hex(lua_State* lua) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, 1, &size);
  push_text(lua, sha1_hex({text, size}));
  return 1;
}

// Turns whatever was raised into a table that says where.
int describe_error(lua_State* lua) {
  if (lua_type(lua, 1) != LUA_TTABLE) {
    lua_pushliteral(lua, "ERR ");
    lua_pushvalue(lua, 1);
    lua_concat(lua, 2);
    lua_createtable(lua, 0, 3);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "err");
  } else {
    lua_pushvalue(lua, 1);
  }
  lua_Debug frame{};
  for (int level = 1; lua_getstack(lua, level, &frame) != 0; ++level) {
    lua_getinfo(lua, "Sl", &frame);
    if (*frame.what == 'C') continue;
    lua_pushstring(lua, frame.source);
    lua_setfield(lua, -2, "source");
    lua_pushinteger(lua, frame.currentline);
    lua_setfield(lua, -2, "line");
    break;
  }
  return 1;
}

std::string field_of(lua_State* lua, const char* field) {
  lua_getfield(lua, -1, field);
  const char* text = lua_tostring(lua, -1);
  std::string value = text == nullptr ? "" : text;
  lua_pop(lua, 1);
  return value;
}

int refuse_unknown_global(lua_State* lua) {
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    lua_tostring(lua, 2));
}

int refuse_new_global(lua_State* lua) {
  return luaL_error(lua, "Attempt to modify a readonly table");
}

}  // namespace

LuaEngine::LuaEngine() : lua_(lua_newstate(allocate, &host_)) {
  if (lua_ == nullptr) throw std::bad_alloc();
  install_api();
}

LuaEngine::~LuaEngine() { lua_close(lua_); }

void LuaEngine::install_api() {
  for (const lua_CFunction open : {luaopen_base, luaopen_table, luaopen_string, luaopen_math}) {
    lua_pushcfunction(lua_, open);
    lua_call(lua_, 0, 0);
  }
  const std::array<luaL_Reg, 6> functions{{{"call", api_call},
                                           {"pcall", api_pcall},
                                           {"error_reply", api_error_reply},
                                           {"status_reply", api_status_reply},
                                           {"sha1hex", api_sha1hex},
                                           {nullptr, nullptr}}};
  luaL_register(lua_, "redis", functions.data());
  lua_pop(lua_, 1);
  keys_ = new_list("KEYS");
  arguments_ = new_list("ARGV");
  lua_gc(lua_, LUA_GCSETPAUSE, kCollectAtPercent);
  lua_createtable(lua_, 0, 2);
  lua_pushcfunction(lua_, refuse_unknown_global);
  lua_setfield(lua_, -2, "__index");
  lua_pushcfunction(lua_, refuse_new_global);
  lua_setfield(lua_, -2, "__newindex");
  lua_setmetatable(lua_, LUA_GLOBALSINDEX);
}

std::string_view LuaEngine::sha1_of(std::string_view text) {
  for (const NamedText& known : names_) {
    if (known.text == text) return known.sha1;
  }
  names_.push_back({std::string(text), sha1_hex(text)});
  return names_.back().sha1;
}

bool LuaEngine::load(const std::string& sha1, std::string_view text, std::string& error) {
  if (functions_.contains(sha1)) return true;
  if (luaL_loadbuffer(lua_, text.data(), text.size(), "@user_script") != 0) {
    error = std::string("ERR Error compiling script (new function): ") + lua_tostring(lua_, -1);
    lua_pop(lua_, 1);
    return false;
  }
  functions_.emplace(sha1, luaL_ref(lua_, LUA_REGISTRYINDEX));
  return true;
}

LuaEngine::List LuaEngine::new_list(const char* name) {
  lua_createtable(lua_, kListUsual, 0);
  lua_pushstring(lua_, name);
  lua_pushvalue(lua_, -2);
  lua_rawset(lua_, LUA_GLOBALSINDEX);
  return {luaL_ref(lua_, LUA_REGISTRYINDEX), 0};
}

void LuaEngine::fill(List& list, std::span<const std::string_view> values) {
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, list.reference);
  for (std::size_t i = 0; i < values.size(); ++i) {
    push_text(lua_, values[i]);
    lua_rawseti(lua_, -2, static_cast<int>(i) + 1);
  }
  for (std::size_t i = values.size(); i < list.size; ++i) {
    lua_pushnil(lua_);
    lua_rawseti(lua_, -2, static_cast<int>(i) + 1);
  }
  list.size = values.size();
  lua_pop(lua_, 1);
}

void LuaEngine::run(const std::string& sha1, std::span<const std::string_view> keys,
                    std::span<const std::string_view> arguments, ScriptHost& host,
                    std::string& out) {
  host_ = &host;
  fill(keys_, keys);
  fill(arguments_, arguments);
  lua_pushcfunction(lua_, describe_error);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, functions_.at(sha1));
  if (lua_pcall(lua_, 0, 1, -2) == 0) {
    append_from_stack(lua_, out);
  } else {
    std::string text = field_of(lua_, "err");
    const std::string source = field_of(lua_, "source");
    if (!source.empty()) {
      text += " script: " + sha1 + ", on " + source + ":" + field_of(lua_, "line") + ".";
    }
    append_error(out, text);
    lua_pop(lua_, 1);
  }
  lua_settop(lua_, 0);
}

}  // namespace redlock::sim
