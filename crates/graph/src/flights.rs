//! Exit edges on their way out of the loops around a branch.
//!
//! While [`DisjointPaths`](crate::DisjointPaths) labels the blocks from the inside out, an edge
//! that leaves some of the loops around the branch is *in flight*: it stands for a chain of exit
//! nodes, one per loop. At each of these loops the exit node takes the label the edge arrives with
//! if the header has the same one or none, and becomes a join otherwise.
//!
//! Labels are only ever compared with each other, and the exit nodes of one edge are never compared
//! among themselves, so all of them can share the label "this edge". Then the label of an edge
//! changes at most once, and crossing a loop means to touch only edges whose label changes now.
//! Edges in flight are either *fresh* (not yet seen by a header), *kept* (with the label of the
//! last header, which is one label for all) or *joined* (with their own label). A header touches
//! all fresh edges, and either none or all of the kept ones.

use crate::graph::{Edge, NONE};
use crate::loops::Loop;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Fresh,
    Kept,
    /// Since which crossing (they are counted), and in which loop.
    Joined(u32, Loop),
    Landed,
}

/// An exit edge that control may take.
#[derive(Clone, Copy, Debug)]
struct Flight {
    edge: Edge,
    label: u32,
    /// The greatest depth of a loop around the branch whose header sees it over a fake back edge.
    fake_from: u32,
    state: State,
}

/// What fake back edges bring to a header.
pub(crate) enum FromInside {
    Nothing,
    Label(u32),
    DifferentLabels,
}

/// The exit edges of one run. A flight is known by its number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flights {
    all: Vec<Flight>,
    /// By edge: its flight or [`NONE`].
    of_edge: Vec<u32>,
    fresh: Vec<u32>,
    kept: Vec<u32>,
    kept_label: u32,
    /// How many kept and joined flights are in the air, and the sum of the latter's numbers: with
    /// one left, that is its number.
    kept_in_air: usize,
    joined_in_air: usize,
    joined_sum: u64,
    /// How many headers have been crossed, and the last one at which all joined flights joined
    /// again.
    crossed: u32,
    rejoined: Option<(u32, Loop)>,
}

impl Flights {
    pub(crate) fn reserve(&mut self, edge_count: usize) {
        if self.of_edge.len() < edge_count {
            self.of_edge.resize(edge_count, NONE);
        }
    }

    /// Forgets all flights, in time proportional to their number.
    pub(crate) fn clear(&mut self) {
        for flight in self.all.drain(..) {
            self.of_edge[flight.edge.index()] = NONE;
        }
        self.fresh.clear();
        self.kept.clear();
        self.kept_label = NONE;
        self.kept_in_air = 0;
        self.joined_in_air = 0;
        self.joined_sum = 0;
        self.crossed = 0;
        self.rejoined = None;
    }

    pub(crate) fn contains(&self, edge: Edge) -> bool {
        self.of_edge[edge.index()] != NONE
    }

    pub(crate) fn edge(&self, number: u32) -> Edge {
        self.all[number as usize].edge
    }

    /// Puts an edge into the air that control reaches, with the label of where it starts.
    pub(crate) fn start(&mut self, edge: Edge, label: u32, fake_from: u32) -> u32 {
        let number = self.add(edge, label, fake_from, State::Fresh);
        self.fresh.push(number);
        number
    }

    /// Puts an edge into the air that the header crossed last skips to, with the header's label.
    pub(crate) fn start_from_header(&mut self, edge: Edge, fake_from: u32) -> u32 {
        let number = self.add(edge, self.kept_label, fake_from, State::Kept);
        self.kept.push(number);
        self.kept_in_air += 1;
        number
    }

    fn add(&mut self, edge: Edge, label: u32, fake_from: u32, state: State) -> u32 {
        let number = self.all.len() as u32;
        self.of_edge[edge.index()] = number;
        self.all.push(Flight { edge, label, fake_from, state });
        number
    }

    /// What arrives over fake back edges at the header of the loop at `depth`, to be crossed next.
    pub(crate) fn inside_labels(&self, depth: u32) -> FromInside {
        let fresh = self.fresh.iter().map(|&number| &self.all[number as usize]);
        let fresh = fresh.filter(|f| f.state == State::Fresh && depth <= f.fake_from);
        let kept = (self.kept_in_air > 0).then_some(self.kept_label);
        let joined = match self.joined_in_air {
            0 => None,
            1 => Some(self.all[self.joined_sum as usize].label),
            _ => return FromInside::DifferentLabels,
        };
        let mut labels = kept.into_iter().chain(joined).chain(fresh.map(|flight| flight.label));
        match labels.next() {
            None => FromInside::Nothing,
            Some(first) if labels.all(|label| label == first) => FromInside::Label(first),
            Some(_) => FromInside::DifferentLabels,
        }
    }

    /// Passes the header of a loop, with its label. All flights in the air leave the loop. Returns
    /// whether one of them joins there. `own_label` gives the label of an edge.
    pub(crate) fn cross(
        &mut self,
        l: Loop,
        header: u32,
        own_label: impl Fn(Edge) -> u32 + Copy,
    ) -> bool {
        self.crossed += 1;
        // If a single edge comes from inside, the header may have its label (over the fake back
        // edge).
        let alone = self.joined_in_air == 1 && self.all[self.joined_sum as usize].label == header;
        let mut joined = self.joined_in_air > 0 && !alone;
        if joined {
            self.rejoined = Some((self.crossed, l));
        }
        if self.kept_label != header {
            for i in 0..self.kept.len() {
                joined |= self.join(self.kept[i], l, own_label);
            }
            self.kept.clear();
            self.kept_label = header;
            self.kept_in_air = 0;
        }
        for i in 0..self.fresh.len() {
            let number = self.fresh[i];
            let flight = &mut self.all[number as usize];
            if flight.label != header {
                joined |= self.join(number, l, own_label);
            } else if flight.state == State::Fresh {
                flight.state = State::Kept;
                self.kept.push(number);
                self.kept_in_air += 1;
            }
        }
        self.fresh.clear();
        joined
    }

    fn join(&mut self, number: u32, l: Loop, own_label: impl Fn(Edge) -> u32) -> bool {
        let flight = &mut self.all[number as usize];
        if flight.state == State::Landed {
            return false;
        }
        flight.label = own_label(flight.edge);
        flight.state = State::Joined(self.crossed, l);
        self.joined_in_air += 1;
        self.joined_sum += u64::from(number);
        true
    }

    /// Takes an edge out of the air. Returns its label and the outermost loop in which it joined.
    pub(crate) fn land(&mut self, number: u32) -> (u32, Option<Loop>) {
        let flight = &mut self.all[number as usize];
        let joined = match flight.state {
            State::Fresh | State::Landed => None,
            State::Kept => {
                self.kept_in_air -= 1;
                None
            }
            State::Joined(since, l) => {
                self.joined_in_air -= 1;
                self.joined_sum -= u64::from(number);
                let again = self.rejoined.filter(|&(at, _)| at > since);
                Some(again.map_or(l, |(_, l)| l))
            }
        };
        flight.state = State::Landed;
        (flight.label, joined)
    }
}
