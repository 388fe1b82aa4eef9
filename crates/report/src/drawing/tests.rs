use super::layers::Layers;
use super::{Drawing, Edge, Node, crossings, ranks};

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

fn random(dice: &mut Dice, nodes: usize, edges: usize) -> Vec<(usize, usize)> {
    (0..edges).map(|_| (dice.below(nodes), dice.below(nodes))).collect()
}

fn drawing(nodes: usize, edges: &[(usize, usize)]) -> Drawing {
    let mut drawing = Drawing::default();
    for i in 0..nodes {
        let lines = (0..1 + i % 3).map(|line| format!("node {i}, line {line}"));
        drawing.node(Node::new(format!("n{i}"), lines));
    }
    edges.iter().for_each(|&(from, to)| drawing.edge(Edge::new(from, to)));
    drawing
}

#[test]
fn ranks_of_a_loop_with_two_exits() {
    // 0 → 1 ⇄ 2, 1 → 3, 2 → 3
    let edges = [(0, 1), (1, 2), (2, 1), (1, 3), (2, 3)];
    assert_eq!(ranks::ranks(4, &edges), [0, 1, 2, 3]);
}

#[test]
fn what_nothing_leads_to_stands_right_above_what_it_leads_to() {
    assert_eq!(ranks::ranks(5, &[(0, 1), (1, 2), (2, 3), (4, 3)]), [0, 1, 2, 3, 2]);
}

#[test]
fn boxes_do_not_overlap_and_cells_of_a_row_stay_in_order() {
    let mut dice = Dice(1);
    for round in 0..60 {
        let nodes = 1 + dice.below(25);
        let edges = random(&mut dice, nodes, round % 50);
        let layout = drawing(nodes, &edges).layout();
        for row in &layout.layers.rows {
            for pair in row.windows(2) {
                let [a, b] = [pair[0], pair[1]];
                let right = layout.x[a] + layout.layers.width[a] / 2.0;
                let left = layout.x[b] - layout.layers.width[b] / 2.0;
                assert!(right + 9.9 < left, "round {round}: {right} and {left}");
            }
        }
        let drawn: usize = layout.layers.rows.iter().map(Vec::len).sum();
        assert_eq!(drawn, layout.layers.rank.len(), "round {round}: each cell is in one row");
        let left = layout.x.iter().zip(&layout.layers.width).map(|(x, w)| x - w / 2.0);
        assert!(left.fold(f64::MAX, f64::min).abs() < 1e-6);
    }
}

#[test]
fn crossings_are_counted_as_by_definition_and_sorting_does_not_add_any() {
    let mut dice = Dice(2);
    let mut fewer = 0;
    for _ in 0..60 {
        let nodes = 2 + dice.below(20);
        let edges = random(&mut dice, nodes, 30);
        let ranks = ranks::ranks(nodes, &edges);
        let mut layers = Layers::new(&ranks, &edges, &vec![10.0; nodes]);
        let before = crossings::crossings(&layers);
        assert_eq!(before, by_definition(&layers));
        crossings::reduce(&mut layers);
        let after = crossings::crossings(&layers);
        assert_eq!(after, by_definition(&layers));
        assert!(after <= before);
        fewer += usize::from(after < before);
    }
    assert!(fewer > 30, "{fewer}");
}

fn by_definition(layers: &Layers) -> usize {
    let position = layers.positions();
    let all: Vec<(usize, usize, usize)> = (0..layers.rank.len())
        .flat_map(|a| layers.below[a].iter().map(move |&b| (a, b)))
        .map(|(a, b)| (layers.rank[a], position[a], position[b]))
        .collect();
    let cross =
        |x: &(usize, usize, usize), y: &(usize, usize, usize)| x.0 == y.0 && x.1 < y.1 && x.2 > y.2;
    all.iter().map(|x| all.iter().filter(|y| cross(x, y)).count()).sum()
}

#[test]
fn a_plane_graph_is_drawn_without_crossings() {
    // A full binary tree, given so that the first order is not the best.
    let edges: Vec<(usize, usize)> =
        (0..15).flat_map(|i| [(i, 2 * i + 2), (i, 2 * i + 1)]).rev().collect();
    assert_eq!(crossings::crossings(&drawing(31, &edges).layout().layers), 0);
}

#[test]
fn a_straight_line_is_straight() {
    let layout = drawing(4, &[(0, 1), (1, 2), (2, 3)]).layout();
    assert!(layout.x.iter().all(|x| (x - layout.x[0]).abs() < 1e-6), "{:?}", layout.x);
}

/// The lines of a picture: where they begin and end.
fn paths(svg: &str) -> Vec<[(f64, f64); 2]> {
    let lines = svg.split("class=\"near\" d=\"").skip(1);
    lines.map(|rest| ends(rest.split('"').next().unwrap())).collect()
}

fn ends(line: &str) -> [(f64, f64); 2] {
    let (mut first, mut at) = (None, (0.0, 0.0));
    let mut rest = line;
    while let Some(command) = rest.chars().next() {
        let end = rest[1..].find(char::is_alphabetic).map_or(rest.len(), |end| end + 1);
        let numbers: Vec<f64> = rest[1..end].split(' ').map(|n| n.parse().unwrap()).collect();
        at = match (command, &numbers[..]) {
            ('M', &[x, y]) | ('C', &[_, _, _, _, x, y]) => (x, y),
            ('V', &[y]) => (at.0, y),
            ('H', &[x]) => (x, at.1),
            _ => panic!("{line}"),
        };
        first.get_or_insert(at);
        rest = &rest[end..];
    }
    [first.unwrap(), at]
}

#[test]
fn every_line_begins_below_its_source_and_ends_above_its_target() {
    let mut dice = Dice(3);
    for _ in 0..40 {
        let nodes = 1 + dice.below(12);
        let edges = random(&mut dice, nodes, 20);
        let svg = drawing(nodes, &edges).svg();
        let number = |text: &str, key: &str| -> f64 {
            let rest = text.split(&format!(" {key}=\"")).nth(1).unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        };
        let boxes: Vec<[f64; 4]> = svg
            .split("<rect")
            .skip(1)
            .map(|rest| ["x", "y", "width", "height"].map(|key| number(rest, key)))
            .collect();
        let paths = paths(&svg);
        assert_eq!((paths.len(), boxes.len()), (edges.len(), nodes));
        for (&[start, end], &(from, to)) in paths.iter().zip(&edges) {
            let ([x, y, w, h], [tx, ty, tw, _]) = (boxes[from], boxes[to]);
            assert!((x..=x + w).contains(&start.0) && (start.1 - y - h).abs() < 0.2);
            let above = ty - super::svg::HEAD;
            assert!((tx..=tx + tw).contains(&end.0) && (end.1 - above).abs() < 0.2);
        }
    }
}

#[test]
fn names_are_escaped_and_the_same_drawing_looks_the_same() {
    let mut drawing = drawing(3, &[(0, 1), (1, 2), (2, 0), (1, 1)]);
    let odd = drawing.node(Node::new("a\"b", ["x < y && \u{1}"]).class("<c>").title("<t>"));
    drawing.edge(Edge::new(odd, 0).label("<l>").id("e&1").class("hot"));
    let svg = drawing.svg();
    assert!(svg.contains("x &lt; y &amp;&amp; \u{fffd}") && svg.contains("id=\"a&quot;b\""));
    assert!(!svg.contains("<l>") && !svg.contains("<t>") && !svg.contains("<c>"));
    assert_eq!(svg, drawing.clone().svg());
    assert!(drawing.svg_file().contains("<style>"));
    assert!(Drawing::default().svg().starts_with("<svg "));
}

#[test]
fn large_graphs_stay_small_pictures() {
    let n = 2000;
    let ladder: Vec<(usize, usize)> = (0..n - 1).flat_map(|i| [(i, i + 1), (i, n - 1)]).collect();
    let nested: Vec<(usize, usize)> =
        (0..n - 1).map(|i| (i, i + 1)).chain((0..n / 2).map(|i| (n - 1 - i, i))).collect();
    let mut dice = Dice(4);
    let scattered = random(&mut dice, n, 3 * n);
    for edges in [ladder, nested, scattered] {
        let drawing = drawing(n, &edges);
        let layout = drawing.layout();
        assert!(layout.layers.rank.len() < 10 * n, "{} cells", layout.layers.rank.len());
        assert_eq!(paths(&drawing.svg()).len(), edges.len());
    }
}
