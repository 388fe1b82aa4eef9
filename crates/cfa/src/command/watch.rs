//! How far a long run is, on standard error: a line that changes on a terminal, now and then a line elsewhere.

use crate::flow::cuda::Progress;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Short runs show nothing.
const SHORT: Duration = Duration::from_secs(2);
/// How often a terminal shows something new, and how often a file gets a line.
const TERMINAL: Duration = Duration::from_millis(250);
const ELSEWHERE: Duration = Duration::from_secs(10);

/// Shows how far an engine is, until it is dropped.
pub(super) struct Watch {
    sender: Option<Sender<Progress>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Begins to show. Where no thread can be started, nothing is shown.
    pub(super) fn start(engine: &'static str) -> Watch {
        let (sender, receiver) = channel::<Progress>();
        let begun = Instant::now();
        let show = move || {
            let terminal = std::io::stderr().is_terminal();
            let pause = if terminal { TERMINAL } else { ELSEWHERE };
            let (mut last, mut known, mut shown) = (begun, None, false);
            loop {
                match receiver.recv_timeout(TERMINAL) {
                    Ok(progress) => known = Some(progress),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if begun.elapsed() >= SHORT && last.elapsed() >= pause {
                    last = Instant::now();
                    shown = true;
                    say(terminal, &line(engine, begun.elapsed(), known.as_ref()));
                }
            }
            if shown && terminal {
                say(terminal, "");
            }
        };
        let thread = std::thread::Builder::new().spawn(show).ok();
        Watch { sender: Some(sender), thread }
    }

    /// How far it is now.
    pub(super) fn set(&self, progress: Progress) {
        if let Some(sender) = &self.sender {
            // Without anybody to show it, it is not shown.
            let _ = sender.send(progress);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.sender.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn say(terminal: bool, text: &str) {
    let mut out = std::io::stderr().lock();
    // Progress that cannot be shown is no reason to stop.
    let _ = match terminal {
        true => write!(out, "\r\x1b[K{text}"),
        false => writeln!(out, "{text}"),
    };
    let _ = out.flush();
}

fn line(engine: &str, time: Duration, progress: Option<&Progress>) -> String {
    let mut line = format!("{engine}: {} s", time.as_secs());
    if let Some(Progress { rounds, visits, reached, expressions }) = progress {
        let how_far = match visits {
            0 => format!("{reached} of {expressions} expressions reached"),
            // What is reached is known of the last visit only.
            visits => format!("{visits} pairs of tiles visited"),
        };
        line.push_str(&format!(", {rounds} rounds, {how_far}"));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is() {
        let progress = Progress { rounds: 96, visits: 0, reached: 5, expressions: 9 };
        let time = Duration::from_millis(2600);
        assert_eq!(line("delta", time, None), "delta: 2 s");
        assert_eq!(
            line("cuda", time, Some(&progress)),
            "cuda: 2 s, 96 rounds, 5 of 9 expressions reached"
        );
        let tiled = Progress { visits: 7, ..progress };
        assert!(line("cuda", time, Some(&tiled)).ends_with(" 96 rounds, 7 pairs of tiles visited"));
    }

    /// However soon it ends, it ends.
    #[test]
    fn a_watch_ends_with_its_run() {
        let watch = Watch::start("delta");
        watch.set(Progress { rounds: 1, visits: 0, reached: 0, expressions: 1 });
    }
}
