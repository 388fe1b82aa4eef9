//! Threads that wait for tiles and give them back. A tile belongs to one thread at a time, so nothing is locked.

use super::Found;
use super::tile::Tile;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

type Share = Vec<(usize, Tile)>;

/// The threads but for the one that calls. They start when there is first something to do.
#[derive(Default)]
pub(super) struct Crew {
    members: Vec<Member>,
}

struct Member {
    give: Sender<(Share, Arc<Found>)>,
    take: Receiver<Share>,
    thread: JoinHandle<()>,
}

impl Member {
    fn start() -> Member {
        let (give, work) = channel::<(Share, Arc<Found>)>();
        let (back, take) = channel();
        let thread = std::thread::spawn(move || {
            for (mut share, found) in work {
                share.iter_mut().for_each(|(_, tile)| tile.flow(&found));
                drop(found);
                if back.send(share).is_err() {
                    return;
                }
            }
        });
        Member { give, take, thread }
    }
}

impl Crew {
    /// All tiles do a round, shared among so many threads.
    pub(super) fn flow(&mut self, tiles: &mut Vec<Tile>, found: &Arc<Found>, threads: usize) {
        while self.members.len() + 1 < threads {
            self.members.push(Member::start());
        }
        // Neighbours go to different threads: what is in use is often close together.
        let mut shares: Vec<Share> = (0..threads).map(|_| Vec::new()).collect();
        for (at, tile) in tiles.drain(..).enumerate() {
            shares[at % threads].push((at, tile));
        }
        let mut all = shares.pop().unwrap_or_default();
        let mut busy = Vec::new();
        for (member, share) in self.members.iter().zip(shares) {
            match member.give.send((share, found.clone())) {
                Ok(()) => busy.push(member),
                Err(refused) => all.extend(refused.0.0),
            }
        }
        all.iter_mut().for_each(|(_, tile)| tile.flow(found));
        let mut lost = false;
        for member in busy {
            match member.take.recv() {
                Ok(share) => all.extend(share),
                Err(_) => lost = true,
            }
        }
        if lost {
            self.fail();
        }
        all.sort_unstable_by_key(|(at, _)| *at);
        tiles.extend(all.into_iter().map(|(_, tile)| tile));
    }

    /// A thread panicked: so does this one.
    fn fail(&mut self) {
        for member in self.members.drain(..) {
            drop(member.give);
            if let Err(panic) = member.thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}
