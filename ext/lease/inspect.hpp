// Looking at what stands under a resource's key, whoever took it.
#pragma once
#include <string_view>

#include "border/zend.hpp"
#include "lease/locks.hpp"

namespace redlock::php {

enum class Unreachable { told, thrown };

// Leaves in `locks` what the servers have; where no majority could be asked, that is little, or
// thrown to PHP. False: an exception is pending.
[[nodiscard]] bool inspect(Locks& locks, const zval* resource, std::string_view method,
                           Unreachable unreachable);
// Throws to PHP that what was found says neither who has it nor that nobody has.
void throw_undecided(Locks& locks, const zval* resource, std::string_view method);
// ['resource' => …, 'decided' => bool, 'token' => ?string, 'owner' => ?string, 'ttl' => ?float,
// 'waiters' => ?int,
//  'line' => …, 'servers' => …]
void put_inspection(zval* into, const Locks& locks, zval* resource);

}  // namespace redlock::php
