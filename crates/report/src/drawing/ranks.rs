//! Ranks: how far down a node stands. Edges point down, but for those that close a cycle.

/// The rank of each node. An edge that does not go to a higher rank closes a cycle.
pub(super) fn ranks(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut successors = vec![Vec::new(); nodes];
    for (edge, &(from, _)) in edges.iter().enumerate() {
        successors[from].push(edge);
    }
    let (order, backward) = depth_first(&successors, edges);
    let mut rank = vec![0; nodes];
    let mut lowest = vec![usize::MAX; nodes];
    let mut has_predecessor = vec![false; nodes];
    for &node in &order {
        for &edge in successors[node].iter().filter(|&&edge| !backward[edge]) {
            let to = edges[edge].1;
            rank[to] = rank[to].max(rank[node] + 1);
            has_predecessor[to] = true;
        }
    }
    // What nothing leads to stands right above what it leads to.
    for (edge, &(from, to)) in edges.iter().enumerate() {
        if !backward[edge] {
            lowest[from] = lowest[from].min(rank[to]);
        }
    }
    for &node in order.iter().filter(|&&node| node != 0) {
        if !has_predecessor[node] && lowest[node] != usize::MAX {
            rank[node] = lowest[node] - 1;
        }
    }
    rank
}

/// The nodes so that edges go to later ones, and by edge whether it leads to a node that is still being visited.
fn depth_first(successors: &[Vec<usize>], edges: &[(usize, usize)]) -> (Vec<usize>, Vec<bool>) {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; successors.len()];
    let mut backward = vec![false; edges.len()];
    let mut finished = Vec::with_capacity(successors.len());
    // Nodes without predecessors first, so that no other node cuts their edges.
    let mut entered = vec![false; successors.len()];
    edges.iter().filter(|(from, to)| from != to).for_each(|&(_, to)| entered[to] = true);
    let all = || 0..successors.len();
    let starts = all().take(1).chain(all().filter(|&n| !entered[n])).chain(all());
    for start in starts {
        if state[start] != State::New {
            continue;
        }
        state[start] = State::Open;
        let mut stack = vec![(start, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(&edge) = successors[*node].get(*next) else {
                state[*node] = State::Done;
                finished.push(*node);
                stack.pop();
                continue;
            };
            *next += 1;
            let to = edges[edge].1;
            match state[to] {
                State::New => {
                    state[to] = State::Open;
                    stack.push((to, 0));
                }
                State::Open => backward[edge] = true,
                State::Done => {}
            }
        }
    }
    finished.reverse();
    (finished, backward)
}
