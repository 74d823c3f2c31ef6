// Vector searches of a knowledge base over HTTP, including authentication, against LanceDB's own HNSW and a bare usearch graph in this
// process, with the same query vectors, each with the least effort that finds 0.92 of the ten nearest, the graph also with the effort
// that reaches the service's recall; hybrid searches against LanceDB's. `TILTH_BENCH_CHUNKS` sets the number of chunks (100,000). The
// service has the first core, wrk the second; the peers run in this process on the first core.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { MatchQuery, rerankers } from '@lancedb/lancedb';
import { createWordWeighing } from '../server/areas/rag/search/word-weights.ts';
import { hashEmbedding } from '../server/models/index.ts';
import { writeCorpus } from './corpus/corpus.ts';
import { readCpuTimes, type CpuTimes } from './cpu-times.ts';
import { listChunks, settle, type ListedChunk } from './knowledge-bases.ts';
import { comparePairs, microsecondsPerCall, type Side } from './pairs.ts';
import { missingPrograms, postJson, serverCores, startService, type RunningService } from './running-service.ts';
import { bareGraph, leastCandidates, openLance, refined } from './search-peers.ts';
import { depth, dimensions, nearness, recallOf, type IsNear } from './search-recall.ts';

const execute = promisify(execFile);
const wanted = Number(process.env['TILTH_BENCH_CHUNKS'] ?? 100_000);
const [seconds, asked] = [2, 200];
/**
 * Minimum recall of the peers, and how far below the service's recall a peer may be and still count as equally exact.
 */
const leastRecall = 0.92;
const tolerance = 0.005;
/** Concurrent searches of the service and of LanceDB; the bare graph is called sequentially. */
const atOnce = 8;
/** Texts of the corpus per document, and characters per chunk. */
const [textsAtOnce, perChunk] = [50, 690];
type Data<T> = { data: T };

const cpuHere = cpuOf(() => readCpuTimes(process.pid));

const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
try {
  if ((await missingPrograms({ wrk: 'wrk', taskset: 'util-linux' })).length === 0) await run();
} finally {
  await rm(directory, { recursive: true });
}

async function run(): Promise<void> {
  const service = await startService(join(directory, 'data'));
  try {
    await measure(service);
  } finally {
    await service.stop();
  }
}

async function measure(service: RunningService): Promise<void> {
  const { api, headers } = service;
  const created = (await postJson(`${api}/rag/knowledge-bases`, { name: 'Bench' }, headers)) as Data<{ id: string }>;
  const base = `${api}/rag/knowledge-bases/${created.data.id}`;
  const chunks = await ingest(base, headers);
  const queries = Array.from({ length: 1_000 }, (_, at) => {
    const { text } = chunks[Math.floor((at * chunks.length) / 1_000)] ?? { text: '' };
    return text.slice(20, 120).replaceAll(/\s+/g, ' ').trim() || 'soil';
  });
  // The first search makes the service load its vectors.
  await search(base, headers, { query: 'soil' });
  const vectors = chunks.map((chunk) => hashEmbedding(wordsOf(chunk)));
  const all = await vectorsOfQueries(queries, chunks);
  const isNear = await nearness(vectors, all.slice(0, asked));
  const lance = await timed('LanceDB', () => openLance(join(directory, 'lance'), chunks, vectors));
  const graph = await timed('the bare graph', async () => bareGraph(vectors));
  // The service may have closed connections while this process computed.
  await setTimeout(1_000);
  await untilInMemory(base, headers, queries);

  const own = await ownRecall(base, headers, queries, chunks, isNear);
  console.log(`  ${chunks.length} chunks; recall@10 of the service ${own.toFixed(3)}`);
  const some = all.slice(0, asked);
  const [refineFactor, recall] = await refined(lance, some, isNear, leastRecall);
  console.log(`  recall@10 of LanceDB's HNSW with refine factor ${refineFactor}: ${recall.toFixed(3)}`);
  const bare = [leastRecall, Math.max(leastRecall, own - tolerance)].map((enough) => {
    const [candidates, found] = leastCandidates(graph, some, isNear, enough);
    console.log(`  recall@10 of the bare graph with ${candidates} candidates: ${found.toFixed(3)}`);
    const name = `bare usearch with ${candidates} candidates`;
    const find = async (at: number): Promise<unknown> =>
      graph.search(all[at % all.length] ?? new Float32Array(dimensions), candidates, 1);
    return { name, unit: 'searches/s', run: () => rateOf(1, find), cpu: cpuHere };
  });

  // The peers' threads use the core of the service.
  await execute('taskset', ['-a', '-cp', serverCores, String(process.pid)]);
  const ours = (mode: string): Side => ({
    name: `service, ${mode}`,
    unit: 'searches/s',
    run: () => requestRate(base, headers, queries, mode),
    cpu: cpuOf(service.cpuTimes),
  });
  await comparePairs(
    'Vector searches over HTTP',
    ours('VECTOR'),
    {
      name: 'LanceDB in process',
      unit: 'searches/s',
      run: () =>
        rateOf(atOnce, (at) =>
          lance
            .vectorSearch(all[at % all.length] ?? [])
            .distanceType('cosine')
            .refineFactor(refineFactor)
            .select(['unit', 'ordinal', '_distance'])
            .limit(depth)
            .toArray(),
        ),
      cpu: cpuHere,
    },
    ...bare,
  );
  const reranker = await rerankers.RRFReranker.create();
  await comparePairs('Hybrid searches over HTTP', ours('HYBRID'), {
    name: 'LanceDB, hybrid',
    unit: 'searches/s',
    run: () =>
      rateOf(atOnce, (at) =>
        lance
          .query()
          .nearestTo(all[at % all.length] ?? [])
          .distanceType('cosine')
          .refineFactor(refineFactor)
          .fullTextSearch(new MatchQuery(queries[at % queries.length] ?? '', 'words'))
          .rerank(reranker)
          .limit(depth)
          .toArray(),
      ),
    cpu: cpuHere,
  });
  lance.close();
}

/** CPU time per search. */
function cpuOf(read: () => Promise<CpuTimes>): NonNullable<Side['cpu']> {
  return { unit: microsecondsPerCall, read, amountOf: (rate) => rate * seconds };
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const made = await work();
  console.log(`  ${name} is there after ${((performance.now() - began) / 1000).toFixed(0)} s`);
  return made;
}

function wordsOf({ text, headings }: ListedChunk): string {
  return headings.length === 0 ? text : `${headings.join(' > ')}\n\n${text}`;
}

/** With the service's word weights for queries. */
async function vectorsOfQueries(queries: readonly string[], chunks: readonly ListedChunk[]): Promise<Float32Array[]> {
  const byUnit = Map.groupBy(chunks, ({ chunkId }) => Number(chunkId.split('-')[0]));
  const units = [...byUnit].map(([unit, own]) => ({ unit, chunks: own.length }));
  const weightOf = await createWordWeighing().weightsOf({
    id: 'all',
    revision: 1,
    listUnits: async () => units.toSorted((one, other) => one.unit - other.unit),
    findChunks: async (places) =>
      places.flatMap(({ unit, ordinal }) => {
        const chunk = byUnit.get(unit)?.[ordinal];
        return chunk === undefined ? [] : [{ text: chunk.text, headings: JSON.stringify(chunk.headings) }];
      }),
  });
  return queries.map((query) => hashEmbedding(query, weightOf));
}

/** Different texts that make about `count` chunks: the corpus, then texts that alternate lines of two of its texts. */
async function textsFor(count: number): Promise<string[]> {
  const corpus = join(directory, 'corpus.jsonl');
  writeCorpus(corpus, { documents: Math.ceil(count / 5), sizeBytes: 0 });
  const lines = (await readFile(corpus, 'utf8')).trim().split('\n');
  const sources = [...new Set(lines.map((line) => (JSON.parse(line) as { text: string }).text))];
  const texts: string[] = [];
  for (let [at, characters] = [0, 0]; characters < count * perChunk; at += 1) {
    const [one = '', other = ''] = [sources[at % sources.length], sources[(at * 7_919 + 1) % sources.length]];
    const text = at < sources.length ? one : inTurn(one.split('\n'), other.split('\n')).join('\n');
    texts.push(text);
    characters += text.length;
  }
  return texts;
}

function inTurn(some: readonly string[], others: readonly string[]): string[] {
  return some.flatMap((line, at) => [line, others[at] ?? '']);
}

/** Uploads texts, many per document; returns the chunks of the index. */
async function ingest(base: string, headers: Readonly<Record<string, string>>): Promise<ListedChunk[]> {
  const texts = await textsFor(wanted);
  const began = performance.now();
  for (let from = 0; from < texts.length; from += 10 * textsAtOnce) {
    const form = new FormData();
    for (let at = from; at < Math.min(texts.length, from + 10 * textsAtOnce); at += textsAtOnce)
      form.append('files', new Blob([texts.slice(at, at + textsAtOnce).join('\n\n')]), `${at}.txt`);
    const { status } = await fetch(`${base}/documents`, { method: 'POST', headers, body: form });
    if (status !== 201) throw new Error(`The upload was answered with ${status}`);
  }
  await settle({ headers }, base);
  console.log(`  ${texts.length} texts in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  return listChunks({ headers }, base);
}

async function search(base: string, headers: Readonly<Record<string, string>>, body: object): Promise<string[]> {
  const { data } = (await postJson(`${base}/search`, { mode: 'VECTOR', topK: depth, ...body }, headers)) as Data<{
    hits: { chunkId: string }[];
  }>;
  return data.hits.map(({ chunkId }) => chunkId);
}

/** Waits until searches take less than a quarter of the first one, for which the index reads all vectors. */
async function untilInMemory(
  base: string,
  headers: Readonly<Record<string, string>>,
  queries: readonly string[],
): Promise<void> {
  const time = async (): Promise<number> => {
    const began = performance.now();
    for (const query of queries.slice(0, 10)) await search(base, headers, { query });
    return performance.now() - began;
  };
  const first = await time();
  const patience = performance.now() + 60_000;
  while (performance.now() < patience && (await time()) > first / 4) await setTimeout(500);
}

/** The recall of the service. */
async function ownRecall(
  base: string,
  headers: Readonly<Record<string, string>>,
  queries: readonly string[],
  chunks: readonly ListedChunk[],
  isNear: IsNear,
): Promise<number> {
  const numbers = new Map(chunks.map(({ chunkId }, at) => [chunkId, at]));
  const found: number[][] = [];
  for (const query of queries.slice(0, asked))
    found.push((await search(base, headers, { query })).map((chunkId) => numbers.get(chunkId) ?? -1));
  return recallOf(found, isNear);
}

async function rateOf(inFlight: number, search: (at: number) => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let done = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < end) await search(done++);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return done / seconds;
}

/** Searches per second over the connections of wrk. */
async function requestRate(
  base: string,
  headers: Readonly<Record<string, string>>,
  queries: readonly string[],
  mode: string,
): Promise<number> {
  const script = join(directory, 'search.lua');
  const bodies = queries.map((query) =>
    JSON.stringify(JSON.stringify({ query: query.replaceAll(/[^\x20-\x7e]/g, ' '), mode })),
  );
  const fields = Object.entries({ ...headers, 'content-type': 'application/json' }).map(
    ([name, value]) => `["${name}"]="${value}"`,
  );
  await writeFile(
    script,
    `local bodies = {${bodies.join(',')}}\nlocal at = 0\nrequest = function()\n  at = at % #bodies + 1\n  return wrk.format("POST", nil, {${fields.join(',')}}, bodies[at])\nend\n`,
  );
  const { stdout } = await execute('taskset', [
    '-c',
    '1',
    'wrk',
    '-t1',
    `-c${atOnce}`,
    `-d${seconds}s`,
    '-s',
    script,
    `${base}/search`,
  ]);
  if (stdout.includes('Non-2xx')) throw new Error(`Not every search succeeded: ${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
