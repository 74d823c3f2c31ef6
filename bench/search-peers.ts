import { availableParallelism } from 'node:os';
import { connect, Index } from '@lancedb/lancedb';
import usearch from 'usearch';
import { schemaOf, tableOf } from '../server/storage/vectors/lance-rows.ts';
import { depth, dimensions, matrixOf, recallOf, type IsNear } from './search-recall.ts';

/** Numbers of candidates to try with the bare graph. */
const candidateCounts = [32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1_024, 1_536];
// LanceDB reads this when first used: with one thread, as on two processors, its index of words never finishes.
process.env['LANCE_CPU_THREADS'] ??= String(availableParallelism() + 2);

/** An index of LanceDB in a folder, with the vectors and words of chunks. */
export async function openLance(
  directory: string,
  chunks: readonly { text: string }[],
  vectors: readonly Float32Array[],
) {
  const connection = await connect(directory);
  const schema = schemaOf(dimensions);
  const table = await connection.createEmptyTable('chunks', schema);
  for (let from = 0; from < chunks.length; from += 1_000) {
    const rows = chunks.slice(from, from + 1_000).map(({ text }, at) => ({
      unit: 0,
      ordinal: from + at,
      words: text,
      vector: vectors[from + at] ?? new Float32Array(dimensions),
    }));
    await table.add(tableOf(schema, dimensions, rows));
  }
  await table.createIndex('vector', { config: Index.hnswSq({ distanceType: 'cosine', numPartitions: 1 }) });
  await table.createIndex('words', {
    config: Index.fts({ baseTokenizer: 'icu' as 'simple', stem: false, removeStopWords: false }),
  });
  await table.optimize();
  return table;
}

/** The lowest refine factor with enough recall. */
export async function refined(
  table: Awaited<ReturnType<typeof openLance>>,
  some: readonly Float32Array[],
  isNear: IsNear,
  enough: number,
) {
  let recall = 0;
  for (const factor of [1, 2, 5, 10, 20]) {
    const found = await Promise.all(
      some.map(async (query) => {
        const rows = (await table
          .vectorSearch(query)
          .distanceType('cosine')
          .refineFactor(factor)
          .select(['ordinal', '_distance'])
          .limit(depth)
          .toArray()) as { ordinal: number }[];
        return rows.map(({ ordinal }) => ordinal);
      }),
    );
    recall = recallOf(found, isNear);
    if (recall >= enough) return [factor, recall] as const;
  }
  return [20, recall] as const;
}

/** The fewest candidates with enough recall. */
export function leastCandidates(
  graph: ReturnType<typeof bareGraph>,
  some: readonly Float32Array[],
  isNear: IsNear,
  enough: number,
) {
  let recall = 0;
  for (const candidates of candidateCounts) {
    const found = some.map((query) => Array.from(graph.search(query, candidates, 1).keys.subarray(0, depth), Number));
    recall = recallOf(found, isNear);
    if (recall >= enough) return [candidates, recall] as const;
  }
  return [candidateCounts.at(-1) ?? 0, recall] as const;
}

/** A graph of usearch with the vectors, whose keys are their numbers. */
export function bareGraph(vectors: readonly Float32Array[]) {
  const settings = {
    dimensions,
    metric: 'cos',
    quantization: 'f16',
    connectivity: 32,
    expansion_add: 200,
    expansion_search: 16,
    multi: false,
  };
  const index = new usearch.Index(settings as unknown as ConstructorParameters<typeof usearch.Index>[0]);
  for (let from = 0; from < vectors.length; from += 1_000) {
    const some = vectors.slice(from, from + 1_000);
    const keys = BigUint64Array.from(some, (_, at) => BigInt(from + at));
    index.add(keys, matrixOf(some), availableParallelism());
  }
  return index;
}
