//! Names of C++ as in the source.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr::null_mut;

unsafe extern "C" {
    /// Of the C++ library, which LLVM needs anyway.
    fn __cxa_demangle(
        name: *const c_char,
        buffer: *mut c_char,
        length: *mut usize,
        status: *mut c_int,
    ) -> *mut c_char;
    fn free(memory: *mut std::ffi::c_void);
}

/// What a mangled name of C++ stands for; `None` if it is none.
///
/// ```
/// assert_eq!(lw_llvm::demangle("_ZN2ns1T1fEi").as_deref(), Some("ns::T::f(int)"));
/// assert_eq!(lw_llvm::demangle("f"), None);
/// ```
pub fn demangle(name: &str) -> Option<String> {
    let name = CString::new(name.strip_prefix("_Z").map(|_| name)?).ok()?;
    let mut status = 0;
    // SAFETY: the name ends with a zero; what comes back was allocated for us and is freed once.
    unsafe {
        let text = __cxa_demangle(name.as_ptr(), null_mut(), null_mut(), &mut status);
        if text.is_null() {
            return None;
        }
        let owned = CStr::from_ptr(text).to_str().ok().map(String::from);
        free(text.cast());
        owned
    }
}
