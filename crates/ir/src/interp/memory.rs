//! Memory: one flat address space with disjoint allocations, bounds, and for each byte whether it is defined.
//!
//! Addresses are plain numbers, so `ptrtoint` and `inttoptr` need no rule of their own; a pointer also carries the
//! allocation it came from, so that an index that runs into the neighbour is found. Between allocations there is a gap.

use super::error::ErrorKind;
use super::value::{Provenance, Ptr};
use std::collections::BTreeMap;

/// What is known of a byte beside its value.
pub(crate) mod state {
    /// Never written, or written with an undefined value.
    pub(crate) const UNDEF: u8 = 0;
    /// Written.
    pub(crate) const DEFINED: u8 = 1;
    /// Part of a poison value.
    pub(crate) const POISON: u8 = 2;
    /// Part of a NaN whose sign and payload the program does not say.
    pub(crate) const LOOSE: u8 = 3;
}

/// Whose memory it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AllocKind {
    /// An `alloca`, private to a thread and a call.
    Stack,
    /// A global variable.
    Global(String),
    /// From `malloc` and its kin.
    Heap,
    /// Given to the run by its caller.
    Buffer,
    /// The code of a function: it has an address but no bytes.
    Code(String),
}

/// A stretch of memory.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) kind: AllocKind,
    pub(crate) alive: bool,
    pub(crate) constant: bool,
    pub(crate) bytes: Vec<u8>,
    pub(crate) states: Vec<u8>,
    /// The provenance of the pointers stored here, by the offset of their first byte.
    pub(crate) pointers: BTreeMap<u64, Provenance>,
}

impl Allocation {
    fn describe(&self) -> String {
        let Allocation { base, size, kind, .. } = self;
        match kind {
            AllocKind::Stack => format!("the alloca of {size} bytes at 0x{base:x}"),
            AllocKind::Global(name) => format!("the global {name} of {size} bytes at 0x{base:x}"),
            AllocKind::Heap => format!("the heap block of {size} bytes at 0x{base:x}"),
            AllocKind::Buffer => format!("the buffer of {size} bytes at 0x{base:x}"),
            AllocKind::Code(name) => format!("the code of {name}"),
        }
    }
}

/// The memory of a machine, shared by all threads.
#[derive(Clone, Debug)]
pub struct Memory {
    allocs: Vec<Allocation>,
    by_base: BTreeMap<u64, u32>,
    next: u64,
    in_use: u64,
    /// Whether a NaN was ever written whose bits the program does not say.
    has_loose: bool,
    /// How many bytes may be in use.
    pub limit: u64,
}

const FIRST_ADDRESS: u64 = 0x1_0000;
/// More than any `inbounds` slip by one element, and a multiple of every usual alignment.
const GAP: u64 = 64;
const POINTER_BYTES: u64 = 8;

impl Default for Memory {
    fn default() -> Self {
        Memory {
            allocs: Vec::new(),
            by_base: BTreeMap::new(),
            next: FIRST_ADDRESS,
            in_use: 0,
            has_loose: false,
            limit: 1 << 28,
        }
    }
}

impl Memory {
    /// New memory, all bytes undefined. Every allocation has its own address, also an empty one.
    pub(crate) fn alloc(
        &mut self,
        size: u64,
        align: u64,
        kind: AllocKind,
    ) -> Result<Ptr, ErrorKind> {
        let backed = !matches!(kind, AllocKind::Code(_));
        let more = if backed { size } else { 0 };
        if more > self.limit.saturating_sub(self.in_use) {
            return Err(ErrorKind::MemoryLimit(self.limit));
        }
        let out = ErrorKind::MemoryLimit(self.limit);
        let base = self.next.checked_next_multiple_of(align.max(16)).ok_or(out.clone())?;
        self.next = base.checked_add(size).and_then(|end| end.checked_add(GAP)).ok_or(out)?;
        self.in_use += more;
        let bytes = more as usize;
        self.by_base.insert(base, self.allocs.len() as u32);
        self.allocs.push(Allocation {
            base,
            size,
            kind,
            alive: true,
            constant: false,
            bytes: vec![0; bytes],
            states: vec![state::UNDEF; bytes],
            pointers: BTreeMap::new(),
        });
        Ok(Ptr { addr: base, prov: Provenance(self.allocs.len() as u32) })
    }

    /// Gives memory back. Later accesses are errors.
    pub(crate) fn release(&mut self, prov: Provenance) {
        let Some(alloc) = self.get_mut(prov).filter(|alloc| alloc.alive) else { return };
        alloc.alive = false;
        let freed = alloc.bytes.len() as u64;
        let base = alloc.base;
        alloc.bytes = Vec::new();
        alloc.states = Vec::new();
        alloc.pointers.clear();
        self.in_use -= freed;
        self.by_base.remove(&base);
    }

    /// The allocation behind a provenance.
    pub(crate) fn get(&self, prov: Provenance) -> Option<&Allocation> {
        self.allocs.get((prov.0 as usize).checked_sub(1)?)
    }

    pub(crate) fn get_mut(&mut self, prov: Provenance) -> Option<&mut Allocation> {
        self.allocs.get_mut((prov.0 as usize).checked_sub(1)?)
    }

    /// The allocation that an address lies in or right behind, for pointers made from integers.
    pub(crate) fn provenance_of(&self, addr: u64) -> Provenance {
        match self.by_base.range(..=addr).next_back() {
            Some((&base, &index)) if addr - base <= self.allocs[index as usize].size => {
                Provenance(index + 1)
            }
            _ => Provenance::NONE,
        }
    }

    /// Checks an access and returns the allocation and the offset in it.
    pub(crate) fn resolve(&self, ptr: Ptr, size: u64) -> Result<(Provenance, u64), ErrorKind> {
        let prov =
            if ptr.prov == Provenance::NONE { self.provenance_of(ptr.addr) } else { ptr.prov };
        let alloc = self.get(prov).ok_or(ErrorKind::NoAllocation(ptr.addr))?;
        if !alloc.alive {
            return Err(ErrorKind::UseAfterFree(alloc.describe()));
        }
        let offset = ptr.addr.wrapping_sub(alloc.base);
        let room = alloc.bytes.len() as u64;
        if offset > room || size > room - offset {
            return Err(ErrorKind::OutOfBounds { addr: ptr.addr, size, of: alloc.describe() });
        }
        Ok((prov, offset))
    }

    /// The bytes and their states for a read.
    pub(crate) fn read(&self, ptr: Ptr, size: u64) -> Result<Piece<'_>, ErrorKind> {
        let (prov, offset) = self.resolve(ptr, size)?;
        let alloc = self.get(prov).expect("resolved");
        let range = offset as usize..(offset + size) as usize;
        let source = Some(Source { alloc, offset, memory: self });
        Ok(Piece { bytes: &alloc.bytes[range.clone()], states: &alloc.states[range], source })
    }

    /// Whether a read would see bits of a NaN that the program does not say.
    pub(crate) fn is_loose(&self, ptr: Ptr, size: u64) -> bool {
        self.has_loose
            && self.read(ptr, size).is_ok_and(|piece| piece.states.contains(&state::LOOSE))
    }

    /// Writes bytes with their states; `pointers` are offsets in `bytes` at which pointers start.
    pub(crate) fn write(&mut self, ptr: Ptr, data: &Image) -> Result<(), ErrorKind> {
        let size = data.bytes.len() as u64;
        self.has_loose |= data.states.contains(&state::LOOSE);
        let alloc = self.writable(ptr, size)?;
        let offset = ptr.addr - alloc.base;
        let range = offset as usize..(offset + size) as usize;
        alloc.bytes[range.clone()].copy_from_slice(&data.bytes);
        alloc.states[range].copy_from_slice(&data.states);
        for &(at, prov) in &data.pointers {
            alloc.pointers.insert(offset + at, prov);
        }
        Ok(())
    }

    /// Checks a write and forgets the pointers it overwrites.
    pub(crate) fn writable(&mut self, ptr: Ptr, size: u64) -> Result<&mut Allocation, ErrorKind> {
        let (prov, offset) = self.resolve(ptr, size)?;
        let alloc = self.get_mut(prov).expect("resolved");
        if alloc.constant && size > 0 {
            return Err(ErrorKind::ReadOnly(alloc.describe()));
        }
        if !alloc.pointers.is_empty() {
            let first = offset.saturating_sub(POINTER_BYTES - 1);
            let gone: Vec<u64> =
                alloc.pointers.range(first..offset + size).map(|(&at, _)| at).collect();
            for at in gone {
                alloc.pointers.remove(&at);
            }
        }
        Ok(alloc)
    }

    /// Copies bytes with their states and provenance, as `memmove` does.
    pub(crate) fn copy(&mut self, to: Ptr, from: Ptr, size: u64) -> Result<(), ErrorKind> {
        if size == 0 {
            return Ok(());
        }
        let image = self.read(from, size)?.image();
        self.write(to, &image)
    }

    /// Fills bytes.
    pub(crate) fn fill(
        &mut self,
        to: Ptr,
        byte: u8,
        byte_state: u8,
        size: u64,
    ) -> Result<(), ErrorKind> {
        if size == 0 {
            return Ok(());
        }
        let alloc = self.writable(to, size)?;
        let start = (to.addr - alloc.base) as usize;
        alloc.bytes[start..start + size as usize].fill(byte);
        alloc.states[start..start + size as usize].fill(byte_state);
        Ok(())
    }
}

/// The bytes of a read.
pub(crate) struct Piece<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) states: &'a [u8],
    source: Option<Source<'a>>,
}

/// Where bytes were read, which is where the provenance of pointers in them is kept.
struct Source<'a> {
    alloc: &'a Allocation,
    offset: u64,
    memory: &'a Memory,
}

impl Piece<'_> {
    /// The provenance of the pointer to `addr` that starts at this offset of the piece.
    pub(crate) fn pointer_at(&self, at: u64, addr: u64) -> Provenance {
        let Some(Source { alloc, offset, memory }) = &self.source else { return Provenance::NONE };
        match alloc.pointers.get(&(offset + at)) {
            Some(&prov) => prov,
            None => memory.provenance_of(addr),
        }
    }

    /// The same, to be written elsewhere.
    pub(crate) fn image(&self) -> Image {
        let mut image = Image {
            bytes: self.bytes.to_vec(),
            states: self.states.to_vec(),
            pointers: Vec::new(),
        };
        if let Some(Source { alloc, offset, .. }) = &self.source {
            let end = offset + self.bytes.len() as u64;
            // A pointer that is cut by the end of the piece is no pointer any more.
            let whole =
                alloc.pointers.range(*offset..end).filter(|(at, _)| *at + POINTER_BYTES <= end);
            image.pointers = whole.map(|(&at, &prov)| (at - offset, prov)).collect();
        }
        image
    }
}

/// Bytes with their states, to be written.
#[derive(Clone, Default, Debug)]
pub(crate) struct Image {
    pub(crate) bytes: Vec<u8>,
    pub(crate) states: Vec<u8>,
    pub(crate) pointers: Vec<(u64, Provenance)>,
}

impl Image {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.states.clear();
        self.pointers.clear();
    }

    /// The bytes as if they had been read from memory.
    pub(crate) fn piece(&self) -> Piece<'_> {
        Piece { bytes: &self.bytes, states: &self.states, source: None }
    }

    pub(crate) fn push(&mut self, bytes: &[u8], byte_state: u8) {
        self.bytes.extend_from_slice(bytes);
        self.states.resize(self.bytes.len(), byte_state);
    }

    /// Undefined bytes up to a length.
    pub(crate) fn pad_to(&mut self, len: usize) {
        self.bytes.resize(len.max(self.bytes.len()), 0);
        self.states.resize(self.bytes.len(), state::UNDEF);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_and_lifetime() {
        let mut memory = Memory::default();
        let a = memory.alloc(8, 4, AllocKind::Buffer).unwrap();
        let b = memory.alloc(0, 1, AllocKind::Heap).unwrap();
        assert_ne!(a.addr, b.addr);
        assert!(memory.fill(a, 7, state::DEFINED, 8).is_ok());
        assert!(matches!(memory.fill(a, 7, state::DEFINED, 9), Err(ErrorKind::OutOfBounds { .. })));
        let far = Ptr { addr: b.addr, prov: a.prov };
        assert!(matches!(memory.read(far, 1), Err(ErrorKind::OutOfBounds { .. })));
        assert_eq!(memory.provenance_of(a.addr + 8), a.prov);
        assert_eq!(memory.provenance_of(a.addr + 9), Provenance::NONE);
        memory.release(a.prov);
        assert!(matches!(memory.read(a, 1), Err(ErrorKind::UseAfterFree(_))));
        assert!(matches!(
            memory.read(Ptr { addr: 0, prov: Provenance::NONE }, 1),
            Err(ErrorKind::NoAllocation(0))
        ));
    }

    #[test]
    fn copies_keep_pointers_and_overwriting_drops_them() {
        let mut memory = Memory::default();
        let a = memory.alloc(24, 8, AllocKind::Buffer).unwrap();
        let mut image = Image::default();
        image.push(&a.addr.to_le_bytes(), state::DEFINED);
        image.pointers.push((0, a.prov));
        memory.write(a, &image).unwrap();
        let second = Ptr { addr: a.addr + 8, ..a };
        memory.copy(second, a, 8).unwrap();
        assert_eq!(memory.get(a.prov).unwrap().pointers.len(), 2);
        memory.fill(Ptr { addr: a.addr + 7, ..a }, 0, state::DEFINED, 1).unwrap();
        assert_eq!(memory.get(a.prov).unwrap().pointers.len(), 1);
    }
}
