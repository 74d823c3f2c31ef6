import { hash } from 'node:crypto';
import usearch from 'usearch';
import type { FoundRows, ResidentVectors } from './resident-protocol.ts';

/** Rows with the same vector are one node: otherwise, a search that comes near many of them would see little else. */
type Node = {
  hash: string;
  /** The unit and ordinal of the first row, then of the second one … */
  places: number[];
};

/**
 * Measured on `builtin:hash-512` vectors of 54,115 chunks of documentation, 33,772 of them distinct, with 188 questions, many of
 * them short. Of the 10 nearest, 128 candidates find 0.95, 330 find 0.98 and 880 find 0.99; of the 200 nearest, 220 candidates find
 * 0.88 and 880 find 0.98, in 0.9 and 3.2 ms. With 128 instead of 200 candidates for edges, these are 0.86 and 0.97, with 16 edges
 * 0.83 and 0.97. With every duplicate vector in the graph, 220 candidates find 0.83 of the 200, and for Chinese titles, which are
 * near 555 equal chunks, two thirds.
 */
const settings = { quantization: 'f16', connectivity: 32, expansion_add: 200, multi: false } as const;
const leastCandidates = 384;
/** Hybrid searches need results of low rank, of which a graph finds few if it looks at no more than are requested. */
const candidatesForEach = 4;

/** Vectors in a graph (HNSW, Malkov and Yashunin 2018): a search looks at a few and misses some of the nearest. Ignores `units`. */
export function createGraph(dimensions: number): ResidentVectors {
  const metric = 'cos' as ConstructorParameters<typeof usearch.Index>[1];
  const options = { ...settings, dimensions, metric, expansion_search: leastCandidates };
  const index = new usearch.Index(options as unknown as ConstructorParameters<typeof usearch.Index>[0]);
  const nodes = new Map<number, Node>();
  /** Hash of the vector → the number of its node. */
  const numbers = new Map<string, number>();
  /** Unit → ordinal → the number of the node. */
  const numbersOfUnits = new Map<number, number[]>();
  let lastNumber = 0;

  return {
    add({ units, ordinals, vectors }) {
      const fresh: number[] = [];
      const parts: Float32Array[] = [];
      units.forEach((unit, row) => {
        const ordinal = ordinals[row] ?? 0;
        const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions);
        const own = numbersOfUnits.get(unit) ?? [];
        // The zero vector has no direction. A row may arrive twice: when it is added, and when the index is read.
        if (own[ordinal] !== undefined || vector.every((value) => value === 0)) return;
        const vectorHash = hash('sha256', vector, 'base64');
        let number = numbers.get(vectorHash);
        if (number === undefined) {
          number = lastNumber += 1;
          numbers.set(vectorHash, number);
          nodes.set(number, { hash: vectorHash, places: [] });
          fresh.push(number);
          parts.push(vector);
        }
        nodes.get(number)?.places.push(unit, ordinal);
        own[ordinal] = number;
        numbersOfUnits.set(unit, own);
      });
      if (fresh.length === 0) return;
      const matrix = new Float32Array(fresh.length * dimensions);
      parts.forEach((vector, at) => matrix.set(vector, at * dimensions));
      index.add(BigUint64Array.from(fresh, BigInt), matrix, 1);
    },

    remove(removed) {
      for (const unit of removed) {
        for (const number of new Set(numbersOfUnits.get(unit)?.filter((one) => one !== undefined))) {
          const node = nodes.get(number);
          if (node === undefined) continue;
          node.places = node.places.filter((_, at) => node.places[at - (at % 2)] !== unit);
          if (node.places.length > 0) continue;
          nodes.delete(number);
          numbers.delete(node.hash);
          index.remove(BigInt(number));
        }
        numbersOfUnits.delete(unit);
      }
    },

    find({ vector, limit }) {
      const candidates = Math.min(Math.max(limit * candidatesForEach, leastCandidates), index.size());
      const found: FoundRows = {
        units: new Int32Array(limit),
        ordinals: new Int32Array(limit),
        scores: new Float32Array(limit),
      };
      let rows = 0;
      if (candidates > 0) {
        const { keys, distances } = index.search(vector, candidates, 1);
        for (let at = 0; at < keys.length && rows < limit; at++) {
          const { places = [] } = nodes.get(Number(keys[at])) ?? {};
          for (let place = 0; place < places.length && rows < limit; place += 2, rows += 1) {
            found.units[rows] = places[place] ?? 0;
            found.ordinals[rows] = places[place + 1] ?? 0;
            found.scores[rows] = 1 - (distances[at] ?? 0);
          }
        }
      }
      if (rows === limit) return found;
      const { units, ordinals, scores } = found;
      return { units: units.slice(0, rows), ordinals: ordinals.slice(0, rows), scores: scores.slice(0, rows) };
    },
  };
}
