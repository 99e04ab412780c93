/* What PHP and a static build of PHP need to know of this extension; plain C. */
#ifndef PHP_REDLOCK_H
#define PHP_REDLOCK_H

extern zend_module_entry redlock_module_entry;
#define phpext_redlock_ptr &redlock_module_entry

#define PHP_REDLOCK_VERSION "0.1.0"

#endif
