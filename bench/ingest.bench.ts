// Documents of a knowledge base from the upload to the search: chunks/s against LanceDB called directly with the same texts and vectors,
// with the CPU time of both; resident memory meanwhile; many uploads of one small document each, with the number of data files and index
// parts in the table; the time from an upload to the first search that finds it, also beside many documents of another knowledge base; a
// PDF of 300 pages. `TILTH_BENCH_DOCUMENTS` (2,000) are ingested at once, `TILTH_BENCH_UPLOADS` (2,000) one by one, then documents of
// several texts until there are `TILTH_BENCH_CHUNKS` (100,000) chunks; `TILTH_BENCH_BESIDE` (2,000) wait in the other knowledge base; 0
// skips a part. The service has the first core unless `TILTH_BENCH_CORES` sets others; LanceDB, in this process, has both.
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { connect, Index } from '@lancedb/lancedb';
import { hashEmbedding } from '../server/models/index.ts';
import { schemaOf, tableOf } from '../server/storage/vectors/lance-rows.ts';
import { pdfOf } from '../tests/support/pdf-files.ts';
import { writeCorpus } from './corpus/corpus.ts';
import { readCpuTimes } from './cpu-times.ts';
import { addDocuments, countWaiting, createBase, findByWord, listChunks, settle } from './knowledge-bases.ts';
import { printMachine } from './machine.ts';
import { comparePairs, medianOf } from './pairs.ts';
import { growthDuring, missingPrograms, startService, type RunningService } from './running-service.ts';

const documents = Number(process.env['TILTH_BENCH_DOCUMENTS'] ?? 2_000);
const uploads = Number(process.env['TILTH_BENCH_UPLOADS'] ?? 2_000);
const beside = Number(process.env['TILTH_BENCH_BESIDE'] ?? 2_000);
const chunksWanted = Number(process.env['TILTH_BENCH_CHUNKS'] ?? 100_000);
const dimensions = 512;
/** Texts of the corpus per document of the large knowledge base, and the average number of chunks per text. */
const [textsAtOnce, chunksOfText] = [5, 7.3];
const pdfPages = 300;
/** How often memory is reported while a knowledge base grows. */
const partsOfMany = 8;
/** Rows per write of LanceDB. */
const rowsAtOnce = 1_000;

const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
printMachine();
try {
  if ((await missingPrograms({ taskset: 'util-linux' })).length === 0) await run();
} finally {
  await rm(directory, { recursive: true });
}

async function run(): Promise<void> {
  const service = await startService(join(directory, 'data'));
  try {
    if (documents > 0) await compareIngest(service);
    if (chunksWanted > 0) await ingestMany(service);
    if (uploads > 0) await uploadOneByOne(service);
    if (beside > 0) await uploadBeside(service);
    await ingestPdf(service);
  } finally {
    await service.stop();
  }
}

async function compareIngest(service: RunningService): Promise<void> {
  const corpus = join(directory, 'corpus.jsonl');
  writeCorpus(corpus, { documents, sizeBytes: 0 });
  const lines = (await readFile(corpus, 'utf8')).trim().split('\n').slice(0, documents);
  const files = lines.map((line, at) => ({ name: `${at}.txt`, content: (JSON.parse(line) as { text: string }).text }));
  const first = await createBase(service);
  await addDocuments(service, first, files);
  await settle(service, first);
  const rows = (await listChunks(service, first)).map((chunk, ordinal) => {
    const words = [chunk.headings.join(' > '), chunk.text].filter((part) => part !== '').join('\n\n');
    return { unit: 0, ordinal, words, vector: hashEmbedding(words) };
  });
  console.log(`  ${files.length} documents with ${rows.length} chunks`);
  const unit = { name: 'µs a chunk', perSecond: 1e6 };
  let round = 0;
  const growthMib = await growthDuring(service, async () => {
    await comparePairs(
      'Ingest until every chunk is found',
      {
        name: 'service',
        unit: 'chunks/s',
        async run() {
          const base = await createBase(service);
          const began = performance.now();
          await addDocuments(service, base, files);
          const chunks = await settle(service, base);
          if (chunks !== rows.length) throw new Error(`${chunks} of ${rows.length} chunks were indexed`);
          return chunks / ((performance.now() - began) / 1000);
        },
        cpu: { unit, read: service.cpuTimes, amountOf: () => rows.length },
      },
      {
        name: 'LanceDB',
        unit: 'chunks/s',
        run: () => addDirectly(rows, join(directory, `lance-${round++}`), true),
        cpu: { unit, read: () => readCpuTimes(process.pid), amountOf: () => rows.length },
      },
      {
        // Like the service, which updates its index of words only after the last document; until then it compares new
        // rows.
        name: 'LanceDB without the index of words',
        unit: 'chunks/s',
        run: () => addDirectly(rows, join(directory, `lance-${round++}`), false),
        cpu: { unit, read: () => readCpuTimes(process.pid), amountOf: () => rows.length },
      },
    );
  });
  console.log(`  resident memory grew by ${growthMib.toFixed(0)} MiB`);
}

/**
 * Adds the same rows to a table with an index of words; with `isJoined`, waits until the index contains all of them.
 */
async function addDirectly(
  rows: readonly { unit: number; ordinal: number; words: string; vector: Float32Array }[],
  folder: string,
  isJoined: boolean,
): Promise<number> {
  const began = performance.now();
  const connection = await connect(folder);
  const schema = schemaOf(dimensions);
  const table = await connection.createEmptyTable('chunks', schema);
  await table.createIndex('words', {
    config: Index.fts({ baseTokenizer: 'icu' as 'simple', stem: false, removeStopWords: false }),
  });
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await table.add(tableOf(schema, dimensions, rows.slice(from, from + rowsAtOnce)));
  if (isJoined) await table.optimize();
  const rate = rows.length / ((performance.now() - began) / 1000);
  table.close();
  await rm(folder, { recursive: true });
  return rate;
}

async function ingestMany(service: RunningService): Promise<void> {
  const corpus = join(directory, 'many.jsonl');
  const texts = Math.ceil(chunksWanted / chunksOfText);
  writeCorpus(corpus, { documents: texts, sizeBytes: 0 });
  const lines = (await readFile(corpus, 'utf8')).trim().split('\n').slice(0, texts);
  await rm(corpus);
  const files = Array.from({ length: Math.ceil(texts / textsAtOnce) }, (_, at) => {
    const some = lines.slice(at * textsAtOnce, (at + 1) * textsAtOnce);
    return { name: `${at}.txt`, content: some.map((line) => (JSON.parse(line) as { text: string }).text).join('\n\n') };
  });
  const base = await createBase(service);
  let seconds = 0;
  let before = 0;
  console.log('Memory while a knowledge base grows (MiB; at most meanwhile, then as it is afterwards)');
  for (let part = 0; part < partsOfMany; part += 1) {
    const some = files.slice((part * files.length) / partsOfMany, ((part + 1) * files.length) / partsOfMany);
    const resident = await service.residentMib();
    const began = performance.now();
    let chunks = 0;
    const growth = await growthDuring(service, async () => {
      await addDocuments(service, base, some);
      chunks = await settle(service, base);
    });
    const took = (performance.now() - began) / 1000;
    seconds += took;
    console.log(
      `  ${chunks} chunks, ${((chunks - before) / took).toFixed(0)} a second: at most ${(resident + growth).toFixed(0)}, ${await describeMemory(service)}`,
    );
    before = chunks;
  }
  await setTimeout(20_000);
  console.log(`  ${before} chunks in ${seconds.toFixed(0)} s; at rest ${await describeMemory(service)}`);
}

/** Memory of the process: total, shared with files, and the JavaScript heap of the main thread. */
async function describeMemory({ pid, api, headers }: RunningService): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string): string =>
    (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024).toFixed(0);
  const text = await (await fetch(new URL('/metrics', api), { headers })).text();
  const metric = (name: string): string =>
    (Number(new RegExp(`^tilth_nodejs_${name}_bytes (\\S+)`, 'm').exec(text)?.[1]) / 2 ** 20).toFixed(0);
  return (
    `resident ${mib('VmRSS')}, of files ${mib('RssFile')}, heap ${metric('heap_size_used')} of ${metric('heap_size_total')}, ` +
    `external ${metric('external_memory')}`
  );
}

async function uploadOneByOne(service: RunningService): Promise<void> {
  const base = await createBase(service);
  const before = new Set(listTables());
  const most = { data: 0, indexes: 0 };
  const count = (): { data: number; indexes: number } => {
    const now = countFiles(listTables().filter((table) => !before.has(table)));
    most.data = Math.max(most.data, now.data);
    most.indexes = Math.max(most.indexes, now.indexes);
    return now;
  };
  const counting = setInterval(count, 250);
  const began = performance.now();
  let seconds = 0;
  const growthMib = await growthDuring(service, async () => {
    for (let at = 0; at < uploads; at += 1)
      await addDocuments(service, base, [
        { name: `${at}.txt`, content: `The soil of field ${at} was tilled with harrow${at}.` },
      ]);
    await settle(service, base);
    seconds = (performance.now() - began) / 1000;
    await setTimeout(2_000);
  }).finally(() => clearInterval(counting));
  const rest = count();
  console.log(
    `${uploads} uploads of one document: ${(uploads / seconds).toFixed(1)} documents/s; at most ${most.data} data files and ${most.indexes} parts of indexes, ` +
      `at the end ${rest.data} and ${rest.indexes}; resident memory grew by ${growthMib.toFixed(0)} MiB`,
  );
  const waits: number[] = [];
  for (let at = 0; at < 20; at += 1) waits.push(await timeUntilFound(service, base, at));
  console.log(`  from the upload of a document to the search that finds it: ${rangeOf(waits)}`);
}

/** Uploads a document; milliseconds until a search finds it. */
async function timeUntilFound(service: RunningService, base: string, at: number): Promise<number> {
  const uploaded = performance.now();
  await addDocuments(service, base, [{ name: `late-${at}.txt`, content: `The soil was tilled with plough${at}x.` }]);
  while ((await findByWord(service, base, `plough${at}x`)) === 0) await setTimeout(10);
  return performance.now() - uploaded;
}

function rangeOf(waits: readonly number[]): string {
  return `median ${medianOf(waits).toFixed(0)}, at most ${Math.max(...waits).toFixed(0)} ms (${waits.length})`;
}

/** Uploads documents to one knowledge base, one after another, while many documents of another one wait. */
async function uploadBeside(service: RunningService): Promise<void> {
  const corpus = join(directory, 'beside.jsonl');
  writeCorpus(corpus, { documents: beside, sizeBytes: 0 });
  const lines = (await readFile(corpus, 'utf8')).trim().split('\n').slice(0, beside);
  const files = lines.map((line, at) => ({ name: `${at}.txt`, content: (JSON.parse(line) as { text: string }).text }));
  const [many, few] = [await createBase(service), await createBase(service)];
  await timeUntilFound(service, few, 0);
  const alone: number[] = [];
  for (let at = 1; at <= 30; at += 1) alone.push(await timeUntilFound(service, few, at));
  await addDocuments(service, many, files);
  const waits: number[] = [];
  for (let at = 31; at <= 60; at += 1) {
    if ((await countWaiting(service, many)) < beside / 2) await addDocuments(service, many, files);
    waits.push(await timeUntilFound(service, few, at));
  }
  console.log(
    `From the upload of a document to the search that finds it: alone ${rangeOf(alone)}, ` +
      `beside ${beside / 2} to ${beside * 1.5} waiting documents of another knowledge base ${rangeOf(waits)}`,
  );
  await settle(service, many);
}

function listTables(): string[] {
  return globSync(join(directory, 'data/vectors/*.lance'));
}

/** Numbers of data files of the tables, and of folders of their index parts. */
function countFiles(tables: readonly string[]): { data: number; indexes: number } {
  const count = (pattern: string): number => tables.flatMap((table) => globSync(join(table, pattern))).length;
  return { data: count('data/*'), indexes: count('_indices/*') };
}

async function ingestPdf(service: RunningService): Promise<void> {
  const words = ['soil', 'plough', 'harvest', 'barn', 'seed', 'furrow', 'orchard', 'meadow', 'silo', 'drainage'];
  const pages = Array.from({ length: pdfPages }, (_, page) =>
    Array.from({ length: 40 }, (_unused, line) =>
      Array.from({ length: 10 }, (_word, at) => words[(page * 7 + line * 3 + at * at) % words.length]).join(' '),
    ).with(20, `Page ${page} is about the word leaf${page}x.`),
  );
  const content = new Uint8Array(pdfOf(pages));
  const base = await createBase(service);
  const began = performance.now();
  await addDocuments(service, base, [{ name: 'manual.pdf', content }]);
  while ((await findByWord(service, base, `leaf${pdfPages - 1}x`)) === 0) await setTimeout(20);
  const seconds = (performance.now() - began) / 1000;
  const chunks = await settle(service, base);
  console.log(
    `A PDF of ${pdfPages} pages (${(content.length / 1024).toFixed(0)} KiB, ${chunks} chunks): ${seconds.toFixed(1)} s from the upload to the search that finds ` +
      'its last page',
  );
}
