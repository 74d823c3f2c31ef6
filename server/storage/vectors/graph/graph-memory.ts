/** Bounds the memory of all graphs; the least recently used ones make room for others. */
export type GraphMemory = {
  /** Whether a graph of so many bytes has its place now; `giveUp` is called when another one needs it. */
  take(id: string, bytes: number, giveUp: () => void): boolean;
  /** The same for rows that are added to one; a graph that has no place needs none. */
  grow(id: string, bytes: number): boolean;
  touch(id: string): void;
  release(id: string): void;
};

export function createGraphMemory(maxBytes: number): GraphMemory {
  /** The least recently used one first. */
  const graphs = new Map<string, { bytes: number; giveUp: () => void }>();

  function makeRoom(): void {
    let sum = 0;
    for (const { bytes } of graphs.values()) sum += bytes;
    for (const [id, { bytes, giveUp }] of graphs) {
      if (sum <= maxBytes) return;
      sum -= bytes;
      graphs.delete(id);
      giveUp();
    }
  }

  return {
    take(id, bytes, giveUp) {
      if (bytes > maxBytes) return false;
      graphs.delete(id);
      graphs.set(id, { bytes, giveUp });
      makeRoom();
      return true;
    },
    grow(id, bytes) {
      const graph = graphs.get(id);
      if (graph === undefined) return true;
      graph.bytes += bytes;
      if (graph.bytes > maxBytes) return false;
      makeRoom();
      return true;
    },
    touch(id) {
      const graph = graphs.get(id);
      if (graph === undefined) return;
      graphs.delete(id);
      graphs.set(id, graph);
    },
    release: (id) => void graphs.delete(id),
  };
}
