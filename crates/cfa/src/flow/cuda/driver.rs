//! The GPU, through the driver API. The driver is loaded when it is first needed; a program without it runs all the same.

use super::machine::{Kernel, Machine};
use super::state::State;
use super::{Error, Options};
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;
use std::ffi::{CString, c_void};

const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));
/// Threads of a block.
const BLOCK: u32 = 256;

pub(super) struct Driver {
    device: sys::CUdevice,
    context: sys::CUcontext,
    module: sys::CUmodule,
    functions: Vec<sys::CUfunction>,
    /// The first one carries what must be in order; the others help with the forms.
    streams: Vec<sys::CUstream>,
    /// One for each stream, and one that they all wait for.
    events: Vec<sys::CUevent>,
    multiprocessors: u32,
    options: Options,
    memory: Option<sys::CUdeviceptr>,
    graph: Option<Graph>,
}

/// Rounds that are launched as one, and what they were made for.
struct Graph {
    key: (State, Vec<Kernel>, u32),
    graph: sys::CUgraph,
    launchable: sys::CUgraphExec,
}

fn error(during: &str) -> impl FnOnce(DriverError) -> Error + '_ {
    move |error| {
        let text = error.error_string().ok().map(|text| text.to_string_lossy().into_owned());
        Error::Driver(format!("{during}: {}", text.unwrap_or_else(|| format!("{:?}", error.0))))
    }
}

impl Driver {
    pub(super) fn open(ordinal: usize) -> Result<Driver, Error> {
        // SAFETY: only looks whether the library can be loaded. Calls of the driver would panic without it.
        if !unsafe { sys::is_culib_present() } {
            return Err(Error::NoDriver);
        }
        let no_device = |during: &str| {
            let during = during.to_string();
            move |e: DriverError| match error(&during)(e) {
                Error::Driver(why) => Error::NoDevice(why),
                other => other,
            }
        };
        result::init().map_err(no_device("starting the driver"))?;
        let device =
            result::device::get(ordinal as i32).map_err(no_device("looking for the GPU"))?;
        let ptx = CString::new(PTX).map_err(|_| Error::NoKernels)?;
        // SAFETY: the device is one that the driver named; the context is made current before anything needs it and released
        // in `drop`; the image is text that ends in zero.
        unsafe {
            let context = result::primary_ctx::retain(device).map_err(error("making a context"))?;
            let mut driver = Driver {
                device,
                context,
                module: std::ptr::null_mut(),
                functions: Vec::new(),
                streams: Vec::new(),
                events: Vec::new(),
                multiprocessors: 1,
                options: Options::default(),
                memory: None,
                graph: None,
            };
            result::ctx::set_current(context).map_err(error("using the context"))?;
            let attribute = sys::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
            let count = result::device::get_attribute(device, attribute)
                .map_err(error("asking for multiprocessors"))?;
            driver.multiprocessors = count.max(1) as u32;
            driver.module = result::module::load_data(ptx.as_ptr().cast())
                .map_err(error("loading the kernels"))?;
            for kernel in Kernel::ALL {
                let name = CString::new(kernel.name()).unwrap_or_default();
                let function = result::module::get_function(driver.module, name)
                    .map_err(error(kernel.name()))?;
                driver.functions.push(function);
            }
            Ok(driver)
        }
    }

    pub(super) fn name(&self) -> Result<String, Error> {
        result::device::get_name(self.device).map_err(error("asking for the name"))
    }

    pub(super) fn configure(&mut self, options: &Options) -> Result<(), Error> {
        // SAFETY: the context lives as long as `self`.
        unsafe { result::ctx::set_current(self.context) }.map_err(error("using the context"))?;
        self.drop_graph();
        self.options = options.clone();
        while self.streams.len() < options.streams.max(1) {
            let stream = result::stream::create(result::stream::StreamKind::NonBlocking)
                .map_err(error("making a stream"))?;
            self.streams.push(stream);
        }
        while self.events.len() <= self.streams.len() {
            let flags = sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING;
            self.events.push(result::event::create(flags).map_err(error("making an event"))?);
        }
        Ok(())
    }

    /// Launches a kernel. Where there is little to do for each thread, fewer blocks start faster.
    fn launch(
        &self,
        kernel: Kernel,
        stream: usize,
        state: &State,
        offset: u32,
    ) -> Result<(), Error> {
        let blocks = match kernel {
            Kernel::Tick => 1,
            _ => self.multiprocessors * self.options.blocks.max(1),
        };
        let mut arguments =
            [state as *const State as *mut c_void, &offset as *const u32 as *mut c_void];
        // SAFETY: the kernel takes a state by value and a number, both of which are read before this returns; the
        // addresses in the state are in `self.memory`.
        unsafe {
            result::launch_kernel(
                self.functions[kernel as usize],
                (blocks, 1, 1),
                (if kernel == Kernel::Tick { 32 } else { BLOCK }, 1, 1),
                0,
                self.streams[stream],
                &mut arguments,
            )
        }
        .map_err(error(kernel.name()))
    }

    /// Launches all rounds. The kernels of the forms go round the streams, which wait for the first and it for them.
    fn launch_rounds(&self, state: &State, forms: &[Kernel], count: u32) -> Result<(), Error> {
        let streams = self.options.streams.clamp(1, forms.len().max(1));
        let (first, main) = (self.streams[0], self.events.len() - 1);
        let wait = error("letting a stream wait");
        let wait_for = |stream: sys::CUstream, event: sys::CUevent| {
            let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
            // SAFETY: both live as long as `self`.
            unsafe { result::stream::wait_event(stream, event, flags) }
        };
        // SAFETY: as above.
        let record = |event: sys::CUevent, stream: sys::CUstream| unsafe {
            result::event::record(event, stream)
        };
        let fork = || -> Result<(), DriverError> {
            record(self.events[main], first)?;
            (1..streams).try_for_each(|stream| wait_for(self.streams[stream], self.events[main]))
        };
        let join = || -> Result<(), DriverError> {
            (1..streams).try_for_each(|stream| {
                record(self.events[stream], self.streams[stream])?;
                wait_for(first, self.events[stream])
            })
        };
        let steps = || -> Result<Result<(), Error>, DriverError> {
            for offset in 0..count {
                if streams > 1 {
                    fork()?;
                }
                for (at, form) in forms.iter().enumerate() {
                    if let Err(why) = self.launch(*form, at % streams, state, offset) {
                        return Ok(Err(why));
                    }
                }
                if streams > 1 {
                    join()?;
                }
                for kernel in [Kernel::Flow, Kernel::Commit] {
                    if let Err(why) = self.launch(kernel, 0, state, offset) {
                        return Ok(Err(why));
                    }
                }
            }
            Ok(self.launch(Kernel::Tick, 0, state, count))
        };
        steps().map_err(wait)?
    }

    fn capture(&mut self, state: &State, forms: &[Kernel], count: u32) -> Result<(), Error> {
        self.drop_graph();
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream lives as long as `self`; whatever happens meanwhile, the capture ends.
        let graph = unsafe {
            result::stream::begin_capture(self.streams[0], mode).map_err(error("capturing"))?;
            let launched = self.launch_rounds(state, forms, count);
            let graph = result::stream::end_capture(self.streams[0]);
            launched?;
            graph.map_err(error("capturing"))?
        };
        // SAFETY: the graph is the one captured; it is destroyed in `drop_graph`.
        let launchable =
            unsafe { result::graph::instantiate(graph, sys::CUgraphInstantiate_flags(0)) };
        match launchable {
            Ok(launchable) => {
                let key = (*state, forms.to_vec(), count);
                self.graph = Some(Graph { key, graph, launchable });
                Ok(())
            }
            Err(why) => {
                // SAFETY: nothing else knows the graph.
                let _ = unsafe { result::graph::destroy(graph) };
                Err(error("making a graph")(why))
            }
        }
    }

    fn drop_graph(&mut self) {
        if let Some(graph) = self.graph.take() {
            // SAFETY: both were made in `capture` and are not used again. What goes wrong here harms nobody.
            unsafe {
                let _ = result::graph::exec_destroy(graph.launchable);
                let _ = result::graph::destroy(graph.graph);
            }
        }
    }

    fn drop_memory(&mut self) {
        if let Some(memory) = self.memory.take() {
            // SAFETY: it was allocated by `allocate`, and all work on it is done: `read` waits for it.
            let _ = unsafe { result::free_sync(memory) };
        }
    }

    fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: the stream lives as long as `self`.
        unsafe { result::stream::synchronize(self.streams[0]) }
            .map_err(error("running the kernels"))
    }
}

impl Machine for Driver {
    fn memory(&mut self) -> Result<u64, Error> {
        self.drop_memory();
        let (free, _) = result::mem_get_info().map_err(error("asking for memory"))?;
        // The driver needs some for graphs and kernels.
        Ok((free as u64).saturating_sub(256 << 20))
    }

    fn allocate(&mut self, bytes: u64) -> Result<u64, Error> {
        self.drop_graph();
        self.drop_memory();
        // SAFETY: freed in `drop_memory`.
        let memory =
            unsafe { result::malloc_sync(bytes as usize) }.map_err(error("allocating memory"))?;
        self.memory = Some(memory);
        Ok(memory)
    }

    fn zero(&mut self, at: u64, bytes: u64) -> Result<(), Error> {
        // SAFETY: callers give parts of what was allocated.
        unsafe { result::memset_d8_async(at, 0, bytes as usize, self.streams[0]) }
            .map_err(error("clearing memory"))?;
        self.synchronize()
    }

    fn write(&mut self, at: u64, words: &[u32]) -> Result<(), Error> {
        // SAFETY: as for `zero`.
        unsafe { result::memcpy_htod_sync(at, words) }.map_err(error("copying to the GPU"))
    }

    fn read(&mut self, at: u64, words: &mut [u32]) -> Result<(), Error> {
        self.synchronize()?;
        // SAFETY: as for `zero`.
        unsafe { result::memcpy_dtoh_sync(words, at) }.map_err(error("copying from the GPU"))
    }

    fn rounds(&mut self, state: &State, forms: &[Kernel], count: u32) -> Result<(), Error> {
        if !self.options.graph {
            return self.launch_rounds(state, forms, count);
        }
        let fits =
            |graph: &Graph| graph.key.0 == *state && graph.key.1 == forms && graph.key.2 == count;
        if !self.graph.as_ref().is_some_and(fits) {
            self.capture(state, forms, count)?;
        }
        let Some(graph) = &self.graph else { return Ok(()) };
        // SAFETY: graph and stream live as long as `self`.
        unsafe { result::graph::launch(graph.launchable, self.streams[0]) }
            .map_err(error("launching the graph"))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // SAFETY: everything was made by `open`, `configure` or `capture` and is not used again. Errors at this point
        // change nothing.
        unsafe {
            let _ = result::ctx::set_current(self.context);
            self.drop_graph();
            self.drop_memory();
            self.events.drain(..).for_each(|event| {
                let _ = result::event::destroy(event);
            });
            self.streams.drain(..).for_each(|stream| {
                let _ = result::stream::destroy(stream);
            });
            if !self.module.is_null() {
                let _ = result::module::unload(self.module);
            }
            let _ = result::primary_ctx::release(self.device);
        }
    }
}
