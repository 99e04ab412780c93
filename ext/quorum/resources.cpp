// Resources from PHP values.
#include "quorum/resources.hpp"

#include <vector>

#include "border/convert_value.hpp"
#include "border/guard.hpp"
#include "border/text.hpp"

namespace redlock::php {

namespace {

Resource resource_from(const zval* value) {
  if (Z_TYPE_P(value) == IS_LONG) return Resource(std::to_string(Z_LVAL_P(value)));
  return Resource(std::string(view_of(Z_STR_P(value))));
}

// False: an exception is pending.
bool are_names(HashTable* array, uint32_t position) {
  zval* element = nullptr;
  ZEND_HASH_FOREACH_VAL(array, element) {
    ZVAL_DEREF(element);
    if (Z_TYPE_P(element) == IS_STRING || Z_TYPE_P(element) == IS_LONG) continue;
    zend_argument_type_error(position, "must be an array of string|int, %s given in it",
                             zend_zval_type_name(element));
    return false;
  }
  ZEND_HASH_FOREACH_END();
  return true;
}

}  // namespace

bool copy_resources(zval* into, HashTable* array, uint32_t position) {
  const uint32_t count = zend_hash_num_elements(array);
  if (count == 0 || count > kResourcesTogetherMax) {
    zend_argument_value_error(position, "must have 1 to 16 resources, %u given", count);
    return false;
  }
  if (!are_names(array, position)) return false;
  array_init_size(into, count);
  zval* element = nullptr;
  ZEND_HASH_FOREACH_VAL(array, element) {
    ZVAL_DEREF(element);
    Z_TRY_ADDREF_P(element);
    add_next_index_zval(into, element);
  }
  ZEND_HASH_FOREACH_END();
  std::size_t distinct = 0;
  const bool counted = guarded({}, [&] { distinct = resources_from(into).all().size(); });
  if (counted && distinct == count) return true;
  if (counted) zend_argument_value_error(position, "must not name a resource twice");
  zval_ptr_dtor(into);
  return false;
}

Resources resources_from(const zval* value) {
  if (Z_TYPE_P(value) != IS_ARRAY) return resource_from(value);
  std::vector<Resource> several;
  const zval* element = nullptr;
  ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), element) { several.push_back(resource_from(element)); }
  ZEND_HASH_FOREACH_END();
  return Resources(std::move(several));
}

std::string in_quotes(const Resources& resources) {
  constexpr std::size_t kNamesMax = 3;
  const auto all = resources.all();
  std::string text = in_quotes(all.front().view());
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (i == kNamesMax) return text + " and " + std::to_string(all.size() - i) + " more";
    text += (i + 1 == all.size() ? " and " : ", ") + in_quotes(all[i].view());
  }
  return text;
}

}  // namespace redlock::php
