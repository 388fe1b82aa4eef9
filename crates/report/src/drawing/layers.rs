//! Layers: the nodes of each rank in order, and between them the bends of edges that pass.

/// How an edge gets from its source to its target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Route {
    /// Down, past a bend on each rank between.
    Down(Vec<usize>),
    /// Up, past bends on all ranks from that of the source to that of the target.
    Up(Vec<usize>),
    /// At the side of the picture. Very long edges go there: many of them would have too many bends.
    Side(usize),
}

/// The cells of all ranks. Nodes are the first cells, bends the others.
pub(super) struct Layers {
    pub(super) nodes: usize,
    /// By rank: cells from left to right.
    pub(super) rows: Vec<Vec<usize>>,
    /// By cell.
    pub(super) rank: Vec<usize>,
    pub(super) width: Vec<f64>,
    /// By cell: what it is connected with on the rank above and on the one below.
    pub(super) above: Vec<Vec<usize>>,
    pub(super) below: Vec<Vec<usize>>,
    /// By cell: the node of the same rank it is connected with.
    pub(super) beside: Vec<Option<usize>>,
    /// By edge.
    pub(super) routes: Vec<Route>,
    pub(super) lanes: usize,
}

/// The room that a line takes.
const BEND: f64 = 8.0;

impl Layers {
    pub(super) fn new(ranks: &[usize], edges: &[(usize, usize)], widths: &[f64]) -> Layers {
        let nodes = ranks.len();
        let mut layers = Layers {
            nodes,
            rows: Vec::new(),
            rank: ranks.to_vec(),
            width: widths.to_vec(),
            above: vec![Vec::new(); nodes],
            below: vec![Vec::new(); nodes],
            beside: vec![None; nodes],
            routes: Vec::with_capacity(edges.len()),
            lanes: 0,
        };
        let side = side_lanes(ranks, edges);
        layers.lanes = side.iter().flatten().map(|lane| lane + 1).max().unwrap_or(0);
        for (&(from, to), lane) in edges.iter().zip(side) {
            let route = match lane {
                Some(lane) => Route::Side(lane),
                None if ranks[from] < ranks[to] => {
                    let bends: Vec<usize> =
                        (ranks[from] + 1..ranks[to]).map(|rank| layers.bend(rank)).collect();
                    let mut last = from;
                    for &next in bends.iter().chain([&to]) {
                        layers.link(last, next);
                        last = next;
                    }
                    Route::Down(bends)
                }
                None => {
                    let bends: Vec<usize> =
                        (ranks[to]..=ranks[from]).rev().map(|rank| layers.bend(rank)).collect();
                    bends.windows(2).for_each(|pair| layers.link(pair[1], pair[0]));
                    layers.beside[bends[0]] = Some(from);
                    layers.beside[bends[bends.len() - 1]] = Some(to);
                    Route::Up(bends)
                }
            };
            layers.routes.push(route);
        }
        layers.rows = layers.first_order();
        layers
    }

    fn bend(&mut self, rank: usize) -> usize {
        self.rank.push(rank);
        self.width.push(BEND);
        self.above.push(Vec::new());
        self.below.push(Vec::new());
        self.beside.push(None);
        self.rank.len() - 1
    }

    fn link(&mut self, upper: usize, lower: usize) {
        self.below[upper].push(lower);
        self.above[lower].push(upper);
    }

    pub(super) fn is_bend(&self, cell: usize) -> bool {
        cell >= self.nodes
    }

    /// By cell: its place in its row.
    pub(super) fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.rank.len()];
        for row in &self.rows {
            row.iter().enumerate().for_each(|(i, &cell)| positions[cell] = i);
        }
        positions
    }

    /// Rows in the order a walk comes to cells. Lines that go up to a node stand right of all that is below it.
    fn first_order(&self) -> Vec<Vec<usize>> {
        let ranks = self.rank.iter().max().map_or(0, |rank| rank + 1);
        let mut rows = vec![Vec::new(); ranks];
        let mut seen = vec![false; self.rank.len()];
        let mut upward = vec![Vec::new(); self.nodes];
        for route in &self.routes {
            if let Route::Up(bends) = route
                && let Some(&last) = bends.last()
                && let Some(to) = self.beside[last]
            {
                upward[to].push(bends);
            }
        }
        for start in 0..self.nodes {
            let mut stack = vec![(start, false)];
            while let Some((cell, below_is_done)) = stack.pop() {
                if below_is_done {
                    let bends = upward.get(cell).into_iter().flatten().copied().flatten();
                    bends.for_each(|&bend| rows[self.rank[bend]].push(bend));
                    continue;
                }
                if self.beside[cell].is_some() || std::mem::replace(&mut seen[cell], true) {
                    continue;
                }
                rows[self.rank[cell]].push(cell);
                stack.push((cell, true));
                stack.extend(self.below[cell].iter().rev().map(|&next| (next, false)));
            }
        }
        rows
    }
}

/// The edges that go at the side, with their lanes: the longest, if otherwise there were too many bends.
fn side_lanes(ranks: &[usize], edges: &[(usize, usize)]) -> Vec<Option<usize>> {
    let bends = |&(from, to): &(usize, usize)| match ranks[to].checked_sub(ranks[from]) {
        Some(0) => 1,
        Some(span) => span - 1,
        None => ranks[from] - ranks[to] + 1,
    };
    let mut total: usize = edges.iter().map(bends).sum();
    let most = 6 * ranks.len() + 1000;
    let mut by_length: Vec<usize> = (0..edges.len()).collect();
    by_length.sort_by_key(|&edge| std::cmp::Reverse(bends(&edges[edge])));
    let long = by_length.into_iter().take_while(|&edge| {
        let is_long = total > most;
        total -= bends(&edges[edge]);
        is_long
    });
    let mut spans: Vec<(usize, usize, usize)> = long
        .map(|edge| {
            let (from, to) = edges[edge];
            (ranks[from].min(ranks[to]), ranks[from].max(ranks[to]), edge)
        })
        .collect();
    // Short ones inside: lanes are taken from the left.
    spans.sort_by_key(|&(first, last, edge)| (last - first, first, edge));
    let mut taken: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut lanes = vec![None; edges.len()];
    for (first, last, edge) in spans {
        let free = |lane: &Vec<(usize, usize)>| lane.iter().all(|&(a, b)| last < a || b < first);
        let lane = taken.iter().position(free).unwrap_or_else(|| {
            taken.push(Vec::new());
            taken.len() - 1
        });
        taken[lane].push((first, last));
        lanes[edge] = Some(lane);
    }
    lanes
}
