/** A graph of nodes and directed edges. */
export type GraphNode = { id: string };
export type GraphEdge = { from: string; to: string };

export type Placed<N> = { node: N; column: number; row: number };

const sweeps = 6;

/**
 * Places nodes in columns, so that edges lead to the right, and orders each column so that few edges cross: by the mean position of a
 * node's neighbours, in alternating sweeps (Sugiyama). Edges that close a cycle are ignored.
 */
export function placeNodes<N extends GraphNode>(nodes: readonly N[], edges: readonly GraphEdge[]): Placed<N>[] {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const inside = edges.filter(({ from, to }) => known.has(from) && known.has(to) && from !== to);
  const column = columnsOf([...known.keys()], inside);
  const columns: string[][] = [];
  for (const id of known.keys()) (columns[column.get(id) ?? 0] ??= []).push(id);
  const before = Map.groupBy(inside, ({ to }) => to);
  const after = Map.groupBy(inside, ({ from }) => from);
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const row = rowsOf(columns);
    const isForward = sweep % 2 === 0;
    for (const ids of isForward ? columns : columns.toReversed()) {
      const mean = new Map(
        ids.map((id) => {
          const near = isForward
            ? (before.get(id) ?? []).map(({ from }) => row.get(from) ?? 0)
            : (after.get(id) ?? []).map(({ to }) => row.get(to) ?? 0);
          return [id, near.length === 0 ? (row.get(id) ?? 0) : near.reduce((sum, one) => sum + one, 0) / near.length];
        }),
      );
      ids.sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0));
      for (const [index, id] of ids.entries()) row.set(id, index);
    }
  }
  const tallest = Math.max(0, ...columns.map((ids) => ids.length));
  return columns.flatMap((ids, at) =>
    ids.flatMap((id, index) => {
      const node = known.get(id);
      return node === undefined ? [] : [{ node, column: at, row: index + (tallest - ids.length) / 2 }];
    }),
  );
}

/** The column of each node: its longest path from a source; each source is placed right before the first node it feeds. */
function columnsOf(ids: readonly string[], edges: readonly GraphEdge[]): Map<string, number> {
  const before = Map.groupBy(edges, ({ to }) => to);
  const after = Map.groupBy(edges, ({ from }) => from);
  const column = new Map<string, number>();
  const open = new Set<string>();
  const find = (id: string): number => {
    const found = column.get(id);
    if (found !== undefined) return found;
    if (open.has(id)) return -1;
    open.add(id);
    const longest = Math.max(-1, ...(before.get(id) ?? []).map(({ from }) => find(from)));
    open.delete(id);
    column.set(id, longest + 1);
    return longest + 1;
  };
  for (const id of ids) find(id);
  for (const id of ids) {
    const next = (after.get(id) ?? []).map(({ to }) => column.get(to) ?? 0);
    if ((before.get(id) ?? []).length === 0 && next.length > 0) column.set(id, Math.max(0, Math.min(...next) - 1));
  }
  return column;
}

function rowsOf(columns: readonly (readonly string[])[]): Map<string, number> {
  return new Map(columns.flatMap((ids) => ids.map((id, index) => [id, index] as const)));
}
