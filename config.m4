dnl Builds the extension redlock with phpize, of all that core/ and ext/ have but the API of C++ users.

PHP_ARG_ENABLE([redlock],
  [whether to enable redlock],
  [AS_HELP_STRING([--enable-redlock], [Enable the extension redlock])],
  [yes])

PHP_ARG_WITH([redlock-hiredis],
  [for the prefix of hiredis],
  [AS_HELP_STRING([--with-redlock-hiredis=DIR],
    [Prefix where hiredis is installed; without it pkg-config is asked])],
  [no],
  [no])

PHP_ARG_WITH([redlock-cares],
  [for the prefix of c-ares],
  [AS_HELP_STRING([--with-redlock-cares=DIR],
    [Prefix where c-ares is installed; without it pkg-config is asked])],
  [no],
  [no])

PHP_ARG_WITH([redlock-openssl],
  [whether to connect by TLS],
  [AS_HELP_STRING([--with-redlock-openssl=DIR],
    [Connect by TLS: prefix of OpenSSL. Without it pkg-config is asked, and where that knows no
     OpenSSL there is no TLS; "no" builds without])],
  [auto],
  [no])

PHP_ARG_ENABLE([redlock-dev],
  [whether to show strict warnings],
  [AS_HELP_STRING([--enable-redlock-dev], [For work on redlock: strict warnings])],
  [no],
  [no])

dnl After every probe configure removes crash dumps with "rm -f core ...". Here core is a folder of
dnl sources: rm would complain each time, fail, and leave confdefs.h behind.
m4_divert_text([DEFAULTS], [
rm ()
{
  for redlock_rm_arg
  do
    shift
    if test "x$redlock_rm_arg" != xcore || test ! -d core; then
      set x "$][@" "$redlock_rm_arg"
      shift
    fi
  done
  command rm "$][@"
}
])

dnl Other extensions bundle hiredis and c-ares, and one loaded earlier would answer our calls. Code
dnl linked in with hidden symbols is out of their reach.
dnl REDLOCK_LINK(archive, name, cflags, libs, header, a call that gives a pointer)
AC_DEFUN([REDLOCK_LINK], [
  redlock_paths=
  for redlock_i in $4; do
    case $redlock_i in
      -L*[)] redlock_paths="$redlock_paths $redlock_i" ;;
    esac
  done
  redlock_static="$redlock_paths -l:lib$1.a -Wl,--exclude-libs,lib$1.a"
  AC_MSG_CHECKING([whether $2 can be linked in, its symbols hidden])
  AC_LANG_PUSH([C++])
  redlock_save_CPPFLAGS=$CPPFLAGS
  redlock_save_CXXFLAGS=$CXXFLAGS
  redlock_save_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $3"
  CXXFLAGS="$CXXFLAGS -fPIC -shared"
  LIBS=$redlock_static
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$5>]], [[return $6 == nullptr;]])],
    [redlock_linked=static],
    [redlock_linked=shared])
  CPPFLAGS=$redlock_save_CPPFLAGS
  CXXFLAGS=$redlock_save_CXXFLAGS
  LIBS=$redlock_save_LIBS
  AC_LANG_POP([C++])
  if test "$redlock_linked" = "static"; then
    AC_MSG_RESULT([yes])
    REDLOCK_SHARED_LIBADD="$REDLOCK_SHARED_LIBADD $redlock_static"
  else
    AC_MSG_RESULT([no, the shared library is used])
    PHP_EVAL_LIBLINE([$4], [REDLOCK_SHARED_LIBADD])
  fi
])

if test "$PHP_REDLOCK" != "no"; then
  PHP_REQUIRE_CXX()
  PHP_CXX_COMPILE_STDCXX([20], [mandatory], [REDLOCK_STDCXX])

  dnl "-g -O2" are configure's own words when nobody gave CXXFLAGS. The debug information would make
  dnl the library ten times as large; names for backtraces stay without it.
  if test "$CXXFLAGS" = "-g -O2"; then
    CXXFLAGS=-O2
  fi

  dnl Seen from the sources, wherever the build folder is; in the same order everywhere.
  if test ! -d "$abs_srcdir/core"; then
    AC_MSG_ERROR([there are no sources in $abs_srcdir])
  fi
  REDLOCK_SOURCES=`cd "$abs_srcdir" && find -L core ext -name '*.cpp' ! -path 'core/redlock/client/*' | LC_ALL=C sort | tr '\n' ' '`

  dnl Up to twelve sources of a folder are compiled as one, which takes a third of the work: most of it goes into the
  dnl headers. These files stand where phpize keeps its own.
  redlock_folder=
  REDLOCK_UNITS=
  for redlock_source in $REDLOCK_SOURCES; do
    if test "`dirname $redlock_source`" != "$redlock_folder" || test $redlock_count = 12; then
      redlock_folder=`dirname $redlock_source`
      redlock_count=0
      redlock_unit=build/`echo $redlock_source | tr / _`
      REDLOCK_UNITS="$REDLOCK_UNITS $redlock_unit"
      dnl g++ takes sources that another includes for headers.
      printf '#ifndef __clang__\n#pragma GCC diagnostic ignored "-Wsubobject-linkage"\n#endif\n' > "$abs_srcdir/$redlock_unit" ||
        AC_MSG_ERROR([$abs_srcdir/build cannot be written to, where phpize has put files too])
    fi
    echo "#include \"../$redlock_source\"" >> "$abs_srcdir/$redlock_unit"
    redlock_count=`expr $redlock_count + 1`
  done

  AC_MSG_CHECKING([for hiredis])
  if test "$PHP_REDLOCK_HIREDIS" != "no" && test "$PHP_REDLOCK_HIREDIS" != "yes"; then
    if test ! -f "$PHP_REDLOCK_HIREDIS/include/hiredis/hiredis.h"; then
      AC_MSG_ERROR([$PHP_REDLOCK_HIREDIS/include/hiredis/hiredis.h not found])
    fi
    REDLOCK_HIREDIS_CFLAGS="-I$PHP_REDLOCK_HIREDIS/include"
    REDLOCK_HIREDIS_LIBS="-L$PHP_REDLOCK_HIREDIS/$PHP_LIBDIR -lhiredis"
    AC_MSG_RESULT([$PHP_REDLOCK_HIREDIS])
  elif test -n "$PKG_CONFIG" && $PKG_CONFIG --exists "hiredis >= 0.14"; then
    dnl The sources say <hiredis/hiredis.h>, while hiredis.pc may name the folder hiredis/ itself.
    REDLOCK_HIREDIS_HEADERS=`$PKG_CONFIG --variable=includedir hiredis | $SED -e 's,/hiredis/*$,,'`
    REDLOCK_HIREDIS_CFLAGS="`$PKG_CONFIG --cflags hiredis` -I$REDLOCK_HIREDIS_HEADERS"
    REDLOCK_HIREDIS_LIBS=`$PKG_CONFIG --libs hiredis`
    REDLOCK_HIREDIS_VERSION=`$PKG_CONFIG --modversion hiredis`
    AC_MSG_RESULT([$REDLOCK_HIREDIS_VERSION])
  else
    AC_MSG_RESULT([not found])
    AC_MSG_ERROR([hiredis >= 0.14 is needed: install libhiredis-dev with apt, hiredis-dev with apk or
                  hiredis-devel with dnf, and pkg-config; or say --with-redlock-hiredis=DIR])
  fi
  PHP_EVAL_INCLINE([$REDLOCK_HIREDIS_CFLAGS])

  AC_MSG_CHECKING([for c-ares])
  if test "$PHP_REDLOCK_CARES" != "no" && test "$PHP_REDLOCK_CARES" != "yes"; then
    if test ! -f "$PHP_REDLOCK_CARES/include/ares.h"; then
      AC_MSG_ERROR([$PHP_REDLOCK_CARES/include/ares.h not found])
    fi
    REDLOCK_CARES_CFLAGS="-I$PHP_REDLOCK_CARES/include"
    REDLOCK_CARES_LIBS="-L$PHP_REDLOCK_CARES/$PHP_LIBDIR -lcares"
    AC_MSG_RESULT([$PHP_REDLOCK_CARES])
  elif test -n "$PKG_CONFIG" && $PKG_CONFIG --exists "libcares >= 1.18"; then
    REDLOCK_CARES_CFLAGS=`$PKG_CONFIG --cflags libcares`
    REDLOCK_CARES_LIBS=`$PKG_CONFIG --libs libcares`
    REDLOCK_CARES_VERSION=`$PKG_CONFIG --modversion libcares`
    AC_MSG_RESULT([$REDLOCK_CARES_VERSION])
  else
    AC_MSG_RESULT([not found])
    AC_MSG_ERROR([c-ares >= 1.18 is needed: install libc-ares-dev with apt, c-ares-dev with apk or
                  c-ares-devel with dnf, and pkg-config; or say --with-redlock-cares=DIR])
  fi
  PHP_EVAL_INCLINE([$REDLOCK_CARES_CFLAGS])

  AC_MSG_CHECKING([for OpenSSL])
  REDLOCK_OPENSSL_CFLAGS=
  REDLOCK_OPENSSL_LIBS=
  if test "$PHP_REDLOCK_OPENSSL" = "no"; then
    AC_MSG_RESULT([not wanted: servers cannot be reached by TLS])
  elif test "$PHP_REDLOCK_OPENSSL" != "auto" && test "$PHP_REDLOCK_OPENSSL" != "yes"; then
    if test ! -f "$PHP_REDLOCK_OPENSSL/include/openssl/ssl.h"; then
      AC_MSG_ERROR([$PHP_REDLOCK_OPENSSL/include/openssl/ssl.h not found])
    fi
    REDLOCK_OPENSSL_CFLAGS="-I$PHP_REDLOCK_OPENSSL/include"
    REDLOCK_OPENSSL_LIBS="-L$PHP_REDLOCK_OPENSSL/$PHP_LIBDIR -lssl -lcrypto"
    AC_MSG_RESULT([$PHP_REDLOCK_OPENSSL])
  elif test -n "$PKG_CONFIG" && $PKG_CONFIG --exists "openssl >= 1.1.1"; then
    REDLOCK_OPENSSL_CFLAGS=`$PKG_CONFIG --cflags openssl`
    REDLOCK_OPENSSL_LIBS=`$PKG_CONFIG --libs openssl`
    REDLOCK_OPENSSL_VERSION=`$PKG_CONFIG --modversion openssl`
    AC_MSG_RESULT([$REDLOCK_OPENSSL_VERSION])
  elif test "$PHP_REDLOCK_OPENSSL" = "yes"; then
    AC_MSG_RESULT([not found])
    AC_MSG_ERROR([OpenSSL >= 1.1.1 is needed: install libssl-dev with apt, openssl-dev with apk or
                  openssl-devel with dnf; or say --with-redlock-openssl=DIR])
  else
    AC_MSG_RESULT([not found: servers cannot be reached by TLS])
  fi
  PHP_EVAL_INCLINE([$REDLOCK_OPENSSL_CFLAGS])

  REDLOCK_LINK([hiredis], [hiredis], [$REDLOCK_HIREDIS_CFLAGS], [$REDLOCK_HIREDIS_LIBS],
    [hiredis/hiredis.h], [redisReaderCreate()])
  REDLOCK_LINK([cares], [c-ares], [$REDLOCK_CARES_CFLAGS], [$REDLOCK_CARES_LIBS],
    [ares.h], [ares_version(nullptr)])
  dnl Always the shared library, as other extensions do: it keeps state for the whole process.
  PHP_EVAL_LIBLINE([$REDLOCK_OPENSSL_LIBS], [REDLOCK_SHARED_LIBADD])
  PHP_SUBST([REDLOCK_SHARED_LIBADD])

  REDLOCK_CXXFLAGS="$REDLOCK_STDCXX -fvisibility=hidden"
  REDLOCK_CXXFLAGS="$REDLOCK_CXXFLAGS -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1"
  REDLOCK_CXXFLAGS="$REDLOCK_CXXFLAGS -I@ext_srcdir@/core -I@ext_srcdir@/ext"
  if test -n "$REDLOCK_OPENSSL_LIBS"; then
    REDLOCK_CXXFLAGS="$REDLOCK_CXXFLAGS -DREDLOCK_OPENSSL"
  fi
  if test "$PHP_REDLOCK_DEV" = "yes"; then
    dnl PHP's own headers would not pass: as system headers they are not judged.
    REDLOCK_PHP_HEADERS=`echo "$INCLUDES" | $SED -e 's/-I/-isystem /g'`
    REDLOCK_CXXFLAGS="$REDLOCK_CXXFLAGS $REDLOCK_PHP_HEADERS -Wall -Wextra -Wconversion"
  fi

  PHP_NEW_EXTENSION([redlock], [$REDLOCK_UNITS], [$ext_shared],, [$REDLOCK_CXXFLAGS], [cxx])
  PHP_ADD_BUILD_DIR([$ext_builddir/build])
fi
