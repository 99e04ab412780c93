// PHP objects that stand for a C++ object on the heap.
//
// The C++ side is made by the constructor and not by create_object, so a subclass may forget it:
// every method asks initialised() first.
#pragma once
#include <cstddef>
#include <utility>

#include "border/zend.hpp"

namespace redlock::php {

template <class State>
class ObjectOf {
 public:
  // Once per class, in MINIT. Objects cannot be cloned: a copy would be a second owner. `destruct`
  // takes the place of calling a destructor.
  static void install(zend_class_entry* class_entry, zend_object_dtor_obj_t destruct = nullptr) {
    handlers_ = *zend_get_std_object_handlers();
    handlers_.offset = offsetof(Holder, std);
    handlers_.free_obj = free;
    handlers_.clone_obj = nullptr;
    if (destruct != nullptr) handlers_.dtor_obj = destruct;
    class_entry->create_object = create;
  }

  // Of a final class whose objects keep a value for themselves: the garbage collector is told of
  // it.
  static void install_keeping(zend_class_entry* class_entry,
                              zend_object_dtor_obj_t destruct = nullptr) {
    install(class_entry, destruct);
    handlers_.get_gc = tell_kept;
  }
  // What dumps, casts and json_encode() show of its objects.
  static void show_by(zend_object_get_properties_for_t show) {
    handlers_.get_properties_for = show;
  }
  // Undefined until somebody sets it; let go when the object is freed.
  static zval* kept_by(zend_object* object) { return &holder_of(object)->kept; }

  // Null until a constructor has set it; freed with the object.
  static State*& state_of(zend_object* object) { return holder_of(object)->state; }

  // Null, with an Error thrown to PHP, while there is no state.
  static State* initialised(zval* object) {
    State* const state = state_of(Z_OBJ_P(object));
    if (state == nullptr) {
      zend_throw_error(nullptr, "The %s object is not initialised; call parent::__construct()",
                       ZSTR_VAL(Z_OBJCE_P(object)->name));
    }
    return state;
  }

  // False, with an Error thrown to PHP, when the constructor runs a second time: a call on the
  // object may be under way.
  static bool is_new(zval* object) {
    if (state_of(Z_OBJ_P(object)) == nullptr) return true;
    zend_throw_error(nullptr, "The %s object is initialised already",
                     ZSTR_VAL(Z_OBJCE_P(object)->name));
    return false;
  }

 private:
  struct Holder {
    State* state;
    zval kept;
    zend_object std;
  };

  static Holder* holder_of(zend_object* object) {
    return reinterpret_cast<Holder*>(reinterpret_cast<char*>(object) - offsetof(Holder, std));
  }

  static zend_object* create(zend_class_entry* class_entry) {
    auto* const holder = static_cast<Holder*>(zend_object_alloc(sizeof(Holder), class_entry));
    zend_object_std_init(&holder->std, class_entry);
    object_properties_init(&holder->std, class_entry);
    holder->std.handlers = &handlers_;
    return &holder->std;
  }

  static void free(zend_object* object) {
    // What is let go of may run code that takes the rest of it out of a weak reference.
    if ((GC_FLAGS(object) & IS_OBJ_WEAKLY_REFERENCED) != 0) {
      zend_weakrefs_notify(object);
      GC_DEL_FLAGS(object, IS_OBJ_WEAKLY_REFERENCED);
    }
    delete std::exchange(state_of(object), nullptr);
    // Undefined first: what is let go may run code that asks for it.
    zval kept;
    ZVAL_COPY_VALUE(&kept, kept_by(object));
    ZVAL_UNDEF(kept_by(object));
    zval_ptr_dtor(&kept);
    zend_object_std_dtor(object);
  }

  // Beside the properties, into which ArrayObject lets anybody put anything.
  static HashTable* tell_kept(zend_object* object, zval** table, int* count) {
    zval* properties = nullptr;
    int properties_count = 0;
    HashTable* const dynamic = zend_std_get_gc(object, &properties, &properties_count);
    zend_get_gc_buffer* const told = zend_get_gc_buffer_create();
    for (int i = 0; i < properties_count; ++i) zend_get_gc_buffer_add_zval(told, &properties[i]);
    zend_get_gc_buffer_add_zval(told, kept_by(object));
    zend_get_gc_buffer_use(told, table, count);
    return dynamic;
  }

  static inline zend_object_handlers handlers_;
};

}  // namespace redlock::php
