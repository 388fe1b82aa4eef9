//! What functions outside of the program do with pointers, where it is known.
//!
//! A function that is in no list may keep, change and call whatever it can reach from its arguments, and may yield anything.

/// What a function outside does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// It keeps no pointer, stores none, calls nothing back, and yields none into the program.
    Nothing,
    /// As `Nothing`, but yields a pointer into what this argument points to.
    Within(usize),
    /// Yields new memory.
    Allocates,
    /// Yields the memory of the first argument, or new memory with the same content.
    Reallocates,
    /// Puts new memory where the first argument points to.
    AllocatesInto,
    /// Copies memory from the second argument to the first, which it yields.
    Copies,
    /// Anything.
    Unknown,
}

/// What the function of this name does.
pub(crate) fn effect(name: &str) -> Effect {
    match name {
        "malloc"
        | "calloc"
        | "valloc"
        | "aligned_alloc"
        | "memalign"
        | "alloca"
        | "mmap"
        | "mmap64"
        | "strdup"
        | "strndup"
        | "__rust_alloc"
        | "__rust_alloc_zeroed"
        | "_Znwm"
        | "_Znam"
        | "_ZnwmRKSt9nothrow_t"
        | "_ZnamRKSt9nothrow_t"
        | "_ZnwmSt11align_val_t" => Effect::Allocates,
        "realloc" | "reallocarray" | "mremap" | "__rust_realloc" => Effect::Reallocates,
        "posix_memalign" => Effect::AllocatesInto,
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" | "mempcpy" | "bcopy" => {
            Effect::Copies
        }
        "strcpy" | "strncpy" | "strcat" | "strncat" | "stpcpy" | "strchr" | "strrchr"
        | "strstr" | "strpbrk" | "memchr" | "memrchr" | "rawmemchr" | "memset" | "strtok"
        | "getcwd" | "fgets" | "realpath" | "__strcpy_chk" | "__strcat_chk" | "__strncpy_chk"
        | "__memset_chk" | "strchrnul" | "strcasestr" => Effect::Within(0),
        _ if NOTHING.contains(&name) => Effect::Nothing,
        _ => Effect::Unknown,
    }
}

/// Functions of the C library and the system that only read and write numbers and text, by what they are about.
#[rustfmt::skip]
const NOTHING: &[&str] = &[
    // Memory.
    "free", "cfree", "munmap", "madvise", "malloc_usable_size", "mprotect", "__rust_dealloc", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm",
    "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t", "msync",
    // Text.
    "strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strcoll", "strspn", "strcspn", "memcmp", "bcmp", "strtol",
    "strtoul", "strtoll", "strtoull", "strtod", "strtof", "strtold", "atoi", "atol", "atof", "strxfrm", "strerror", "strerror_r",
    "__xpg_strerror_r", "strftime", "tolower", "toupper", "isalpha", "isdigit", "isspace", "isalnum", "isupper", "islower", "isxdigit",
    "ispunct", "iscntrl", "isgraph", "isprint", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
    "__isoc99_sscanf", "__isoc23_strtol", "__isoc23_strtoul", "__isoc23_strtoll", "__isoc23_strtoull", "__isoc23_sscanf", "sscanf",
    // Output and input.
    "printf", "fprintf", "sprintf", "snprintf", "vprintf", "vfprintf", "vsprintf", "vsnprintf", "puts", "fputs", "putchar", "fputc",
    "putc", "fwrite", "fread", "fgetc", "getc", "getchar", "ungetc", "fopen", "fopen64", "freopen", "freopen64", "fdopen", "fclose",
    "fflush", "feof", "ferror", "clearerr", "fseek", "fseeko", "fseeko64", "ftell", "ftello", "ftello64", "rewind", "fileno", "setvbuf",
    "setbuf", "tmpfile", "tmpfile64", "tmpnam", "mkstemp", "mkstemp64", "remove", "rename", "perror", "popen", "pclose", "getline",
    "__sprintf_chk", "__snprintf_chk", "__printf_chk", "__fprintf_chk", "__vsnprintf_chk", "flockfile", "funlockfile", "getc_unlocked",
    // The system.
    "open", "open64", "openat", "openat64", "close", "read", "write", "pread", "pread64", "pwrite", "pwrite64", "readv", "writev", "lseek", "lseek64",
    "stat", "stat64", "lstat", "lstat64", "fstat", "fstat64", "fstatat", "fstatat64", "access", "unlink", "rmdir", "mkdir", "chmod",
    "fchmod", "chown", "fchown", "ftruncate", "ftruncate64", "fallocate", "posix_fallocate", "fsync", "fdatasync", "fcntl", "fcntl64", "ioctl",
    "readlink", "symlink", "link", "utimes", "utime", "futimens", "getpid", "getppid", "geteuid", "getuid", "getgid", "getegid", "getenv",
    "sysconf", "getpagesize", "gethostname", "uname", "system", "sleep", "usleep", "nanosleep", "sched_yield", "isatty", "dup", "dup2",
    "pipe", "poll", "getrandom", "flock", "umask", "opendir", "readdir", "readdir64", "closedir", "getrusage", "dlclose", "dlerror",
    "exit", "_exit", "abort", "__assert_fail", "raise", "kill", "sigemptyset", "sigfillset", "sigaddset", "sigdelset", "sigprocmask",
    "__errno_location", "setlocale", "localeconv", "nl_langinfo", "longjmp", "_longjmp", "siglongjmp", "setjmp", "_setjmp", "__sigsetjmp",
    // Time and numbers.
    "time", "clock", "gettimeofday", "clock_gettime", "localtime", "localtime_r", "gmtime", "gmtime_r", "mktime", "difftime", "rand",
    "srand", "random", "srandom", "abs", "labs", "llabs", "div", "ldiv", "frexp", "frexpf", "frexpl", "modf", "modff", "modfl", "ldexp",
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "exp2", "expm1", "log",
    "log2", "log10", "log1p", "pow", "sqrt", "cbrt", "hypot", "fabs", "floor", "ceil", "fmod", "round", "trunc", "rint", "remainder",
    "sinf", "cosf", "tanf", "expf", "logf", "powf", "sqrtf", "fmodf", "floorf", "ceilf", "powl", "fmodl", "floorl", "log2f", "log10f",
    "__isnan", "__isinf", "__finite", "isnan",
    // Threads; what runs in one is not here.
    "pthread_mutex_init", "pthread_mutex_destroy", "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock",
    "pthread_mutexattr_init", "pthread_mutexattr_settype", "pthread_mutexattr_destroy", "pthread_cond_init", "pthread_cond_destroy",
    "pthread_cond_wait", "pthread_cond_signal", "pthread_cond_broadcast", "pthread_self", "pthread_equal", "pthread_attr_init",
    "pthread_attr_destroy", "pthread_attr_setstacksize",
];
