//! The picture as SVG.

use super::layers::Route;
use super::{Drawing, Edge, Layout, Node};
use crate::escape::escape;
use std::fmt::Write;

const LETTER: f64 = 7.25;
const LINE: f64 = 16.0;
const PAD: f64 = 9.0;
/// Longer lines end in an ellipsis.
const LETTERS: usize = 90;
const MARGIN: f64 = 12.0;
pub(super) const HEAD: f64 = 7.0;
/// Room between lanes at the side.
const LANE: f64 = 10.0;

/// Width and height of a node.
pub(super) fn size(node: &Node) -> (f64, f64) {
    let letters = node.lines.iter().map(|line| line.chars().count().min(LETTERS)).max();
    let width = letters.unwrap_or(0) as f64 * LETTER + 2.0 * PAD;
    (width.max(32.0), node.lines.len().max(1) as f64 * LINE + PAD)
}

/// Writes a picture, with its style if it is a file of its own.
pub(super) fn write(drawing: &Drawing, layout: &Layout, style: Option<&str>) -> String {
    let pen = Pen::new(drawing, layout);
    let mut out = String::new();
    let (width, height) = (pen.width.ceil(), pen.height.ceil());
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">"
    );
    if let Some(style) = style {
        let _ = write!(out, "<style>\n{style}</style>");
    }
    out.push('\n');
    for (edge, path) in drawing.edges.iter().zip(&pen.paths) {
        write_edge(&mut out, edge, path);
    }
    for (i, node) in drawing.nodes.iter().enumerate() {
        write_node(&mut out, i, node, pen.corner(i), layout.sizes[i]);
    }
    out.push_str("</svg>\n");
    out
}

fn attributes(kind: &str, class: &str, id: &str) -> String {
    let space = if class.is_empty() { "" } else { " " };
    let mut text = format!("class=\"{kind}{space}{}\"", escape(class));
    if !id.is_empty() {
        let _ = write!(text, " id=\"{}\"", escape(id));
    }
    text
}

fn write_edge(out: &mut String, edge: &Edge, path: &Path) {
    let _ = write!(
        out,
        "<g {} data-from=\"{}\" data-to=\"{}\"><path class=\"near\" d=\"{d}\"/><path d=\"{d}\"/>",
        attributes("edge", &edge.class, &edge.id),
        edge.from,
        edge.to,
        d = path.commands
    );
    let (x, y) = path.end;
    let _ = write!(out, "<path class=\"head\" d=\"M{x:.1} {y:.1}l-3.5 -{HEAD}h7z\"/>");
    if !edge.label.is_empty() {
        let (x, y) = (path.start.0, path.start.1 + 13.0);
        // On the side where the other lines of the node are not.
        let (x, anchor) = if path.is_left { (x - 5.0, "end") } else { (x + 5.0, "start") };
        let label = escape(&edge.label);
        let _ =
            write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{label}</text>");
    }
    out.push_str("</g>\n");
}

fn write_node(
    out: &mut String,
    number: usize,
    node: &Node,
    (x, y): (f64, f64),
    (w, h): (f64, f64),
) {
    let _ = write!(
        out,
        "<g {} data-node=\"{number}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"4\"/>",
        attributes("node", &node.class, &node.id)
    );
    for (i, line) in node.lines.iter().enumerate() {
        let (x, y) = (x + PAD, y + PAD / 2.0 + 12.0 + i as f64 * LINE);
        let mut text: String = line.chars().take(LETTERS).collect();
        if line.chars().count() > LETTERS {
            text.pop();
            text.push('…');
        }
        let _ = write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(&text));
    }
    if !node.title.is_empty() {
        let _ = write!(out, "<title>{}</title>", escape(&node.title));
    }
    out.push_str("</g>\n");
}

/// A line from the bottom of a node to the top of another.
struct Path {
    commands: String,
    start: (f64, f64),
    end: (f64, f64),
    /// Whether it begins left of the middle of its node.
    is_left: bool,
}

/// Knows where rows begin and end.
struct Pen<'a> {
    layout: &'a Layout,
    /// By rank.
    top: Vec<f64>,
    bottom: Vec<f64>,
    width: f64,
    height: f64,
    paths: Vec<Path>,
}

impl<'a> Pen<'a> {
    fn new(drawing: &Drawing, layout: &'a Layout) -> Pen<'a> {
        let layers = &layout.layers;
        let (mut top, mut bottom) = (Vec::new(), Vec::new());
        let mut y = MARGIN + turning_room(layout, 0);
        for (rank, row) in layers.rows.iter().enumerate() {
            let nodes = row.iter().filter(|&&cell| !layers.is_bend(cell));
            let height = nodes.map(|&node| layout.sizes[node].1).fold(0.0, f64::max);
            top.push(y);
            bottom.push(y + height);
            y += height + room_below(layout, rank);
        }
        let cells = layout.x.iter().zip(&layers.width);
        let right = cells.map(|(x, w)| x + w / 2.0).fold(0.0, f64::max) + MARGIN;
        let width = right + layers.lanes as f64 * LANE + MARGIN;
        let mut pen = Pen { layout, top, bottom, width, height: y.max(MARGIN), paths: Vec::new() };
        pen.draw(drawing, right);
        pen
    }

    fn x(&self, cell: usize) -> f64 {
        self.layout.x[cell] + MARGIN
    }

    fn corner(&self, node: usize) -> (f64, f64) {
        (self.x(node) - self.layout.sizes[node].0 / 2.0, self.top[self.layout.layers.rank[node]])
    }

    /// Draws the edges. Those of a node are spread over its width, in the order of where they go.
    fn draw(&mut self, drawing: &Drawing, side: f64) {
        let layers = &self.layout.layers;
        let far = f64::MAX;
        let next = |i: usize, edge: &Edge| match &layers.routes[i] {
            Route::Down(bends) => self.x(*bends.first().unwrap_or(&edge.to)),
            Route::Up(bends) => self.x(bends[0]),
            Route::Side(_) => far,
        };
        let last = |i: usize, edge: &Edge| match &layers.routes[i] {
            Route::Down(bends) => self.x(*bends.last().unwrap_or(&edge.from)),
            Route::Up(bends) => self.x(bends[bends.len() - 1]),
            Route::Side(_) => far,
        };
        let edges = &drawing.edges;
        let leaving = self.ports(edges, |edge| edge.from, next);
        let entering = self.ports(edges, |edge| edge.to, last);
        let paths = edges.iter().enumerate().map(|(i, edge)| {
            let rank = |node: usize| layers.rank[node];
            let start = (leaving[i], self.top[rank(edge.from)] + self.layout.sizes[edge.from].1);
            let end = (entering[i], self.top[rank(edge.to)]);
            let mut commands = format!("M{:.1} {:.1}", start.0, start.1);
            match &layers.routes[i] {
                Route::Down(bends) => self.down(&mut commands, rank(edge.from), bends, start, end),
                Route::Up(bends) => self.up(&mut commands, rank(edge.from), bends, start, end),
                Route::Side(lane) => {
                    let lane_x = side + (*lane as f64 + 0.5) * LANE;
                    let below = self.bottom[rank(edge.from)] + 9.0 + (lane % 4) as f64 * 2.0;
                    let above = end.1 - 13.0 - (lane % 4) as f64 * 2.0;
                    let _ = write!(
                        commands,
                        "V{below:.1}H{lane_x:.1}V{above:.1}H{:.1}V{:.1}",
                        end.0,
                        end.1 - HEAD
                    );
                }
            }
            Path { commands, start, end, is_left: start.0 < self.x(edge.from) - 0.5 }
        });
        self.paths = paths.collect();
    }

    fn ports(
        &self,
        edges: &[Edge],
        node: impl Fn(&Edge) -> usize,
        towards: impl Fn(usize, &Edge) -> f64,
    ) -> Vec<f64> {
        let mut keyed: Vec<(usize, f64, usize)> =
            edges.iter().enumerate().map(|(i, edge)| (node(edge), towards(i, edge), i)).collect();
        keyed.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        let mut ports = vec![0.0; edges.len()];
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            let count = group.len() as f64;
            let apart = (self.layout.sizes[group[0].0].0 / (count + 1.0)).min(18.0);
            for (place, &(node, _, i)) in group.iter().enumerate() {
                ports[i] = self.x(node) + (place as f64 - (count - 1.0) / 2.0) * apart;
            }
        }
        ports
    }

    fn down(
        &self,
        commands: &mut String,
        mut rank: usize,
        bends: &[usize],
        mut at: (f64, f64),
        end: (f64, f64),
    ) {
        let to = rank + bends.len() + 1;
        for x in bends.iter().map(|&bend| self.x(bend)).chain([end.0]) {
            let bottom = self.bottom[rank];
            if at.1 < bottom {
                let _ = write!(commands, "V{bottom:.1}");
            }
            rank += 1;
            let top = if rank == to { end.1 - HEAD } else { self.top[rank] };
            curve(commands, (at.0, bottom), (x, top));
            at = (x, top);
        }
    }

    fn up(
        &self,
        commands: &mut String,
        mut rank: usize,
        bends: &[usize],
        start: (f64, f64),
        end: (f64, f64),
    ) {
        let bottom = self.bottom[rank];
        let _ = write!(commands, "V{bottom:.1}");
        let mut x = self.x(bends[0]);
        turn(commands, start.0, x, bottom, TURN);
        for &next in &bends[1..] {
            let _ = write!(commands, "V{:.1}", self.top[rank]);
            rank -= 1;
            curve(commands, (x, self.top[rank + 1]), (self.x(next), self.bottom[rank]));
            x = self.x(next);
        }
        let _ = write!(commands, "V{:.1}", end.1 - HEAD);
        turn(commands, x, end.0, end.1 - HEAD, -TURN);
    }
}

/// How far a line that turns goes beyond its row.
const TURN: f64 = 20.0;

fn curve(commands: &mut String, from: (f64, f64), to: (f64, f64)) {
    if (from.0 - to.0).abs() < 0.05 {
        let _ = write!(commands, "V{:.1}", to.1);
        return;
    }
    let middle = f64::midpoint(from.1, to.1);
    let _ = write!(
        commands,
        "C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}",
        from.0, to.0, to.0, to.1
    );
}

fn turn(commands: &mut String, from: f64, to: f64, y: f64, by: f64) {
    let far = y + by;
    let _ = write!(commands, "C{from:.1} {far:.1} {to:.1} {far:.1} {to:.1} {y:.1}");
}

/// The height of the room between a row and the next: lines that go far sideways need more of it.
fn room_below(layout: &Layout, rank: usize) -> f64 {
    let layers = &layout.layers;
    let row = &layers.rows[rank];
    let far = row.iter().flat_map(|&cell| {
        layers.below[cell].iter().map(move |&other| (layout.x[cell] - layout.x[other]).abs())
    });
    let far = far.fold(0.0, f64::max);
    (34.0 + far / 10.0).min(110.0) + turning_room(layout, rank + 1) + leaving_room(layout, rank)
}

/// Room above a row for lines that turn to come in.
fn turning_room(layout: &Layout, rank: usize) -> f64 {
    if turns(layout, rank, true) { 8.0 } else { 0.0 }
}

/// Room below a row for lines that turn to go up.
fn leaving_room(layout: &Layout, rank: usize) -> f64 {
    if turns(layout, rank, false) { 8.0 } else { 0.0 }
}

fn turns(layout: &Layout, rank: usize, above: bool) -> bool {
    let layers = &layout.layers;
    let row = layers.rows.get(rank).map_or(&[][..], Vec::as_slice);
    row.iter().any(|&cell| {
        let on = if above { &layers.above[cell] } else { &layers.below[cell] };
        layers.beside[cell].is_some() && on.is_empty()
    })
}
