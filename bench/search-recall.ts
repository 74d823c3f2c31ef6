import usearch from 'usearch';

/** Hits of a search that count. */
export const depth = 10;
export const dimensions = 512;
/** Similarities that differ by no more than this are equal. */
const equal = 1e-5;

/** Whether a chunk is as near to a query as its ten nearest, determined by comparing all vectors. */
export type IsNear = (query: number, chunk: number) => boolean;

/** Compares the vectors of all chunks with those of the queries. */
export async function nearness(vectors: readonly Float32Array[], queries: readonly Float32Array[]): Promise<IsNear> {
  const metric = 'cos' as Parameters<typeof usearch.exactSearch>[4];
  const { distances } = usearch.exactSearch(matrixOf(vectors), matrixOf(queries), dimensions, depth, metric, 1) as {
    distances: Float32Array;
  };
  return (query, chunk) => {
    const [one, other] = [queries[query], vectors[chunk]];
    if (one === undefined || other === undefined) return false;
    const similarity = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
    return 1 - similarity <= (distances[(query + 1) * depth - 1] ?? 0) + equal;
  };
}

/** All vectors one behind the other. */
export function matrixOf(vectors: readonly Float32Array[]): Float32Array {
  const matrix = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, at) => matrix.set(vector, at * dimensions));
  return matrix;
}

/** The share of the ten nearest that was found, over the queries: for each, the numbers of its found chunks. */
export function recallOf(found: readonly (readonly number[])[], isNear: IsNear): number {
  const near = found.reduce((sum, rows, query) => sum + rows.filter((row) => isNear(query, row)).length, 0);
  return near / found.length / depth;
}
