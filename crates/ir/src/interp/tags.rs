//! Tags: iteration vectors that tell the instances of a block apart, whatever the input (000 §3.2).

use super::cfg::Cfg;
use crate::entities::Block;
use cranelift_entity::EntityRef;
use lw_graph::Node;
use smallvec::SmallVec;
use std::fmt;

/// ⟨i₁ … i_n⟩: how often the back edges of each surrounding loop were taken since it was entered, outermost first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Tag(pub SmallVec<[u64; 4]>);

impl Tag {
    /// g_qp of Definition 3.1, for the edge from `from` to `to`.
    ///
    /// The definition wants graphs in which an edge leaves or enters one loop at a time; here an edge may do several
    /// such steps at once, as if there were a block between each.
    pub(crate) fn follow(&mut self, cfg: &Cfg, from: Option<Block>, to: Block) {
        let loops = cfg.loops();
        let to = Node::new(to.index());
        let shared = match from.map(|block| Node::new(block.index())) {
            Some(from) => match loops.headed_by(to).filter(|&l| loops.contains(l, from)) {
                // A back edge: the inner loops end, this one goes on.
                Some(l) => {
                    self.0.truncate(loops.loop_depth(l));
                    if let Some(last) = self.0.last_mut() {
                        *last += 1;
                    }
                    return;
                }
                None => loops.common(from, to).map_or(0, |l| loops.loop_depth(l)),
            },
            None => 0,
        };
        self.0.truncate(shared);
        self.0.resize(loops.depth(to), 0);
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("⟨")?;
        for (i, count) in self.0.iter().enumerate() {
            write!(f, "{}{count}", if i == 0 { "" } else { " " })?;
        }
        f.write_str("⟩")
    }
}
