// Reads private members of the production machines, without a word of it in their headers.
//
// Naming a private member is allowed in an explicit instantiation; the friend that this defines
// hands the pointer to member out. A renamed member does not compile; a member that is forgotten
// is what the audit of the machine table is for.
#pragma once

namespace redlock::exhaustive {

template <class Tag, typename Tag::Pointer Member>
struct Expose {
  friend constexpr typename Tag::Pointer pointer_to(Tag) { return Member; }
};

}  // namespace redlock::exhaustive

// Defines `name`, whose pointer_to() reaches Class::member.
#define REDLOCK_EXPOSE(name, Class, Type, member) \
  struct name {                                   \
    using Pointer = Type Class::*;                \
    friend constexpr Pointer pointer_to(name);    \
  };                                              \
  template struct Expose<name, &Class::member>
