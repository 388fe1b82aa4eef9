//! The examples: C and C++ files that are part of this command.
//!
//! What stands above the line `// ----` is what is shown, what stands below it makes data and runs it. Flags that an example needs
//! stand behind `// flags:`; those behind `// vector flags:` allow more than the scalar program does, such as other mathematical functions.

/// An example.
pub(super) struct Example {
    /// What people read.
    pub(super) title: &'static str,
    /// What it is there for.
    pub(super) shows: &'static str,
    /// The name of its file.
    pub(super) file: &'static str,
    source: &'static str,
    /// The function whose loop is marked, or that is vectorized.
    pub(super) kernel: &'static str,
    /// For a function with `declare simd`: the shapes of its parameters.
    pub(super) shapes: Option<&'static str>,
    /// The width of the picture that its result is.
    pub(super) picture: Option<usize>,
}

/// Files that examples include, and the program that runs them.
pub(super) const SUPPORT: [(&str, &str); 3] = [
    ("kernel.h", include_str!("../../../../examples/simd/kernel.h")),
    ("driver.c", include_str!("../../../../examples/simd/driver.c")),
    ("laneweaver.h", include_str!("../../../../include/laneweaver.h")),
];

macro_rules! example {
    ($file:literal, $kernel:literal, $title:literal, $shows:literal) => {
        Example {
            title: $title,
            shows: $shows,
            file: $file,
            source: include_str!(concat!("../../../../examples/simd/", $file)),
            kernel: $kernel,
            shapes: None,
            picture: None,
        }
    };
}

/// All of them, in the order they are shown.
pub(super) const EXAMPLES: [Example; 11] = [
    Example {
        picture: Some(768),
        ..example!(
            "mandelbrot.c",
            "mandelbrot",
            "Mandelbrot set",
            "an outer loop with a divergent inner loop"
        )
    },
    Example {
        shapes: Some("v, v, u, u, u -> v"),
        picture: Some(768),
        ..example!("julia.c", "julia", "Julia set", "a function with `declare simd`")
    },
    example!("black_scholes.c", "black_scholes", "Black-Scholes", "mathematical functions"),
    example!("search.c", "search", "Binary search", "gathers in a divergent loop"),
    example!("bvh.cpp", "trace", "Ray traversal", "one stack for all lanes, `lw_any`; C++"),
    example!("rejection.c", "rejection", "Rejection sampling", "lanes that try again"),
    example!("argmin.c", "argmin", "Place of the minimum", "what iterations hand on"),
    example!("hash.c", "hash", "Hashes", "loops of different lengths"),
    example!("collatz.c", "collatz", "Collatz", "a divergent loop and a conditional maximum"),
    example!("bytecode.c", "interpret", "Bytecode interpreter", "a switch that stays uniform"),
    example!("smooth.c", "smooth", "Bilateral filter", "bytes"),
];

impl Example {
    /// The whole file.
    pub(super) fn text(&self) -> &'static str {
        self.source
    }

    /// The part that is shown.
    pub(super) fn shown(&self) -> &'static str {
        self.source.split("// ----").next().unwrap_or(self.source).trim_end()
    }

    /// The name of the file without its ending.
    pub(super) fn stem(&self) -> &'static str {
        self.file.split('.').next().unwrap_or(self.file)
    }
}
