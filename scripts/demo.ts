// `npm run demo`: uploads the licences and readmes in node_modules into a dataset, cleans it, makes questions about it with the built-in
// model and downloads both results. To use a running service: TILTH_URL, and TILTH_TOKEN, TILTH_API_KEY or TILTH_USERNAME with
// TILTH_PASSWORD.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect, DemoError, type Client, type Credential } from './demo/client.ts';
import { startOwnServer, type OwnServer } from './demo/own-server.ts';
import { humanBytes, startProgressBar } from './demo/progress-bar.ts';
import { collectSampleFiles, type SampleFile } from './demo/sample-files.ts';

const chunkBytes = 256 * 1024;
const parallelUploads = 8;
const maxFiles = 600;
const maxQuestions = 300;

type Counts = { in: number; kept: number; changed: number; dropped: number; failed: number; emitted: number };
type Run = { id: string; status: string; progress: number; counts: Counts; error: string | null };
type LedgerPage = { content: { filePath: string; row: number | null; reason: string | null }[]; totalElements: number };

type RecordPage = { content: { output: Record<string, string>; source: { filePath: string } }[] };

async function main(): Promise<void> {
  const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
  const files = await collectSampleFiles(modules, maxFiles);
  if (files.length === 0) throw new DemoError(`No licences or readmes found under ${modules}; run npm start once`);
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  console.log(`Found ${files.length} files (${humanBytes(bytes)}) under node_modules.`);

  const url = process.env['TILTH_URL'];
  let server: OwnServer | undefined;
  try {
    server = url === undefined ? await startOwnServer() : undefined;
    if (server !== undefined) console.log(`Started a temporary service at ${server.url}.`);
    const client = await connect(url ?? server?.url ?? '', server ?? givenCredential());
    await show(client, files, bytes, server !== undefined);
  } finally {
    await server?.stop();
  }
}

async function show(client: Client, files: readonly SampleFile[], bytes: number, isTemporary: boolean): Promise<void> {
  const dataset = await client.call<{ id: string; name: string }>('POST', '/data-management/datasets', {
    name: 'Licences and readmes',
    description: 'Texts from the packages under node_modules',
    type: 'TEXT',
    tags: ['demo'],
  });
  await upload(client, dataset.id, files, bytes);

  const task = await client.call<{ id: string }>('POST', '/data-cleaning/tasks', {
    name: 'Clean licences and readmes',
    sourceDatasetId: dataset.id,
    steps: [
      { operatorId: 'control-character-remover' },
      { operatorId: 'whitespace-normalizer' },
      { operatorId: 'text-length-filter', params: { min: 40, max: 40_000 } },
    ],
  });
  const run = await execute(client, `/data-cleaning/tasks/${task.id}`, 'Cleaning');
  const { targetDatasetId } = await client.call<{ targetDatasetId: string }>('GET', `/data-cleaning/tasks/${task.id}`);
  const ask = await client.call<{ id: string }>('POST', '/data-synthesis/tasks', {
    name: 'Questions about licences and readmes',
    templateId: 'qa-pairs-en',
    model: 'builtin:cloze',
    sourceDatasetId: targetDatasetId,
    input: { fileTypes: ['md', 'txt'] },
    maxSamples: maxQuestions,
    provenance: true,
    autoStart: false,
  });
  const questions = await execute(client, `/data-synthesis/tasks/${ask.id}`, 'Asking');
  const synthesis = await client.call<{ targetDatasetId: string }>('GET', `/data-synthesis/tasks/${ask.id}`);
  const cleanedZip = await download(client, targetDatasetId, 'tilth-demo');
  const questionsZip = await download(client, synthesis.targetDatasetId, 'tilth-demo-questions');
  await summarize(client, task.id, run);
  await showQuestions(client, ask.id, questions);
  console.log(`\nThe cleaned files: ${cleanedZip}\nQuestions and answers: ${questionsZip}`);
  if (!isTemporary)
    console.log(
      `The datasets stay at ${client.url} as ${targetDatasetId} and ${synthesis.targetDatasetId}, the source as ${dataset.id}.`,
    );
}

async function upload(client: Client, datasetId: string, files: readonly SampleFile[], bytes: number): Promise<void> {
  const calls = `/data-management/datasets/${datasetId}/files/upload`;
  const announced = { totalFileNum: files.length, totalSize: bytes, chunkSize: chunkBytes };
  const reqId = await client.call<string>('POST', `${calls}/pre-upload`, announced);
  const bar = startProgressBar(process.stdout, 'Uploading');
  const started = performance.now();
  const waiting = [...files.entries()];
  let sentFiles = 0;
  let sentBytes = 0;
  const sendFiles = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [fileNo, { path, content }] = next;
      const totalChunkNum = Math.max(1, Math.ceil(content.length / chunkBytes));
      for (let chunkNo = 1; chunkNo <= totalChunkNum; chunkNo += 1) {
        const chunk = content.subarray((chunkNo - 1) * chunkBytes, chunkNo * chunkBytes);
        const form = new FormData();
        const fields = { reqId, fileNo, fileName: path, totalChunkNum, chunkNo };
        for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
        form.set('checkSumHex', createHash('sha256').update(chunk).digest('hex'));
        form.set('file', new Blob([new Uint8Array(chunk)]), 'chunk');
        await client.send(`${calls}/chunk`, form);
        sentBytes += chunk.length;
      }
      sentFiles += 1;
      bar.update(sentFiles / files.length, `${sentFiles}/${files.length} files, ${humanBytes(sentBytes)}`);
    }
  };
  await Promise.all(Array.from({ length: parallelUploads }, sendFiles));
  const seconds = (performance.now() - started) / 1000;
  bar.end(`${files.length} files, ${humanBytes(bytes)} in ${seconds.toFixed(1)} s`);
}

async function execute(client: Client, task: string, label: string): Promise<Run> {
  const bar = startProgressBar(process.stdout, label);
  const started = performance.now();
  let run = await client.call<Run>('POST', `${task}/execute`, {});
  while (run.status === 'QUEUED' || run.status === 'RUNNING') {
    bar.update(run.progress / 100, `${run.counts.in} samples`);
    await sleep(300);
    run = await client.call<Run>('GET', `${task}/runs/${run.id}`);
  }
  if (run.status !== 'COMPLETED')
    throw new DemoError(`The run ended as ${run.status}: ${run.error ?? 'no reason given'}`);
  bar.end(`${run.counts.in} samples in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return run;
}

async function download(client: Client, datasetId: string, name: string): Promise<string> {
  const file = join(tmpdir(), `${name}-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.zip`);
  const bar = startProgressBar(process.stdout, 'Downloading');
  const answer = await client.download(`/data-management/datasets/${datasetId}/files/download`);
  if (answer.body === null) throw new DemoError('The download has no body');
  const total = Number(answer.headers.get('content-length'));
  let done = 0;
  await pipeline(
    Readable.fromWeb(answer.body),
    async function* count(source: AsyncIterable<Uint8Array>) {
      for await (const chunk of source) {
        done += chunk.length;
        bar.update(total > 0 ? done / total : 0, humanBytes(done));
        yield chunk;
      }
    },
    createWriteStream(file, { flags: 'wx' }),
  );
  bar.end(`${humanBytes(done)} of ZIP`);
  return `${file} (${humanBytes(done)})`;
}

async function summarize(client: Client, taskId: string, run: Run): Promise<void> {
  const { in: total, kept, changed, dropped, failed, emitted } = run.counts;
  const rows: readonly [string, number, string][] = [
    ['in', total, 'documents, and rows of packages.jsonl'],
    ['kept', kept, `${changed} of them changed`],
    ['dropped', dropped, 'by the length filter'],
    ['failed', failed, 'could not be read; kept unchanged'],
    ['written', emitted, ''],
  ];
  const figures = Math.max(...rows.map(([, count]) => String(count).length));
  console.log('\nResult');
  for (const [label, count, note] of rows) {
    console.log(`  ${label.padEnd(9)}${String(count).padStart(figures)}  ${note}`.trimEnd());
  }
  const isWhole = total === kept + dropped + failed;
  console.log(`  in = kept + dropped + failed: ${total} = ${kept} + ${dropped} + ${failed} ${isWhole ? '✓' : '✗'}`);
  if (!isWhole) throw new DemoError('The counts do not reconcile');

  for (const verdict of ['DROPPED', 'FAILED']) {
    const query = `verdict=${verdict}&size=3`;
    const ledger = await client.call<LedgerPage>(
      'GET',
      `/data-cleaning/tasks/${taskId}/runs/${run.id}/ledger?${query}`,
    );
    if (ledger.totalElements === 0) continue;
    console.log(`\n${verdict === 'DROPPED' ? 'Dropped' : 'Failed'}, for example`);
    for (const { filePath, row, reason } of ledger.content) {
      console.log(`  ${filePath}${row === null ? '' : ` row ${row}`}: ${reason ?? ''}`);
    }
  }
}

async function showQuestions(client: Client, taskId: string, { counts }: Run): Promise<void> {
  const { in: total, kept, dropped, failed } = counts;
  if (total !== kept + dropped + failed) throw new DemoError('The counts of the questions do not reconcile');
  console.log(
    `\nQuestions by the built-in model: ${total} requested, ${kept} kept, ${dropped} dropped, ${failed} failed`,
  );
  const { content } = await client.call<RecordPage>(
    'GET',
    `/data-synthesis/tasks/${taskId}/records?verdict=KEPT&size=1`,
  );
  for (const { output, source } of content) {
    console.log(`  ${source.filePath}: ${output['question']?.replaceAll(/\s+/g, ' ').slice(0, 160)}`);
    console.log(`  Answer: ${output['answer']}`);
  }
}

function givenCredential(): Credential {
  const {
    TILTH_TOKEN: token,
    TILTH_API_KEY: apiKey,
    TILTH_USERNAME: username = 'admin',
    TILTH_PASSWORD: password,
  } = process.env;
  if (token !== undefined) return { token };
  if (apiKey !== undefined) return { apiKey };
  if (password !== undefined) return { username, password };
  throw new DemoError('TILTH_URL is set; also set TILTH_TOKEN, TILTH_API_KEY or TILTH_PASSWORD (and TILTH_USERNAME)');
}

try {
  await main();
} catch (error) {
  if (!(error instanceof DemoError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
