// The names of the two classes: global, unless the application wants these for classes of its own.
//
// Include it before the arginfo of such a class, whose registration it gives the name.
#pragma once
#include <string_view>

#include "border/zend.hpp"

namespace redlock::php {

// Chosen once, in MINIT, for the whole process.
inline bool classes_are_global = true;

// `full` is the name in the namespace. Gives a part of it, which ends with it.
[[nodiscard]] inline std::string_view name_of_class(std::string_view full) {
  return classes_are_global ? full.substr(full.rfind('\\') + 1) : full;
}

}  // namespace redlock::php

#undef INIT_CLASS_ENTRY
#define INIT_CLASS_ENTRY(entry, name, functions)                                   \
  INIT_CLASS_ENTRY_EX(entry, redlock::php::name_of_class("RedLock\\" name).data(), \
                      redlock::php::name_of_class("RedLock\\" name).size(), functions)
