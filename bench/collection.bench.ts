// 1,000,000 rows of PostgreSQL to JSON Lines against `psql \copy` with the same conversion, and 10,000 small objects of an S3 server
// against `rclone copy`, each into a new dataset or file. The service and the peers run on the first core, the sources on any. The rows are
// compared byte for byte first. `TILTH_BENCH_PAIRS` (7), `TILTH_BENCH_ROWS` and `TILTH_BENCH_OBJECTS` set the length;
// `TILTH_BENCH_FORMAT=PARQUET` measures Parquet instead.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { createPostgresDatabase } from '../tests/support/postgres.ts';
import { startS3, versitygw } from '../tests/support/versitygw.ts';
import { mainThread, type CpuTimes } from './cpu-times.ts';
import { printMachine } from './machine.ts';
import { comparePairs, type Side } from './pairs.ts';
import {
  growthDuring,
  missingPrograms,
  postJson,
  serverCores,
  startService,
  type RunningService,
} from './running-service.ts';

const execute = promisify(execFile);
const rows = Number(process.env['TILTH_BENCH_ROWS'] ?? 1_000_000);
const objects = Number(process.env['TILTH_BENCH_OBJECTS'] ?? 10_000);
const format = process.env['TILTH_BENCH_FORMAT'] ?? 'JSONL';
const ends: (() => Promise<void>)[] = [];
const ending = { after: (end: () => unknown) => void ends.unshift(async () => void (await end())) };

if ((await missingPrograms({ psql: 'postgresql', rclone: 'rclone', taskset: 'util-linux' })).length === 0) {
  printMachine();
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  try {
    const service = await startService(join(folder, 'data'), { TILTH_OUTGOING_ALLOW: '127.0.0.1' });
    ends.unshift(service.stop);
    await compareRows(service, folder);
    if (versitygw.path === undefined) console.log(`Skipped: versitygw (${versitygw.howToGet}).`);
    else await compareObjects(service, folder);
  } finally {
    for (const end of ends) await end();
    await rm(folder, { recursive: true, force: true });
  }
}

async function compareRows(service: RunningService, folder: string): Promise<void> {
  const { url, drop } = await createPostgresDatabase();
  ends.push(drop);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create table events as select n as id, timestamptz '2026-01-01Z' + n * interval '1 s' as at, n::numeric / 7 as amount,
    md5(n::text) as key, repeat('Words with "quotes" and a \\ ', 6) as text, n % 3 = 0 as flag from generate_series(1, ${rows}) n`);
  await client.query('vacuum analyze events');
  await client.end();
  const { hostname, port, pathname, username, password } = new URL(url);
  const source = { host: hostname, port: Number(port), database: pathname.slice(1), user: username, password };
  const config = { ...source, table: 'events', format };
  const output = join(folder, 'rows.jsonl');
  // COPY doubles backslashes; sed turns them back into single ones.
  const copy = `psql "$1" -qX -c '\\copy (select row_to_json(e) from events e) to stdout' | sed 's/\\\\\\\\/\\\\/g' > "$2"`;
  const psql = timedProgram(['bash', '-c', copy, 'bash', url, output]);
  await psql.run();
  const first = await collect(service, 'postgresql', config);
  if (format === 'JSONL') await compareContent(service, first.datasetId, output);
  const growthMib = await growthDuring(service, () =>
    compare(`${rows} rows of PostgreSQL as ${format}`, 'rows/s', rows, {
      service,
      type: 'postgresql',
      config,
      peer: { name: 'psql', ...psql },
    }),
  );
  console.log(`  memory of the service above idle: ${growthMib.toFixed(0)} MiB`);
}

async function compareObjects(service: RunningService, folder: string): Promise<void> {
  const server = await startS3(ending, 'bench');
  for (let at = 0; at < objects; at += 1) {
    const path = join(server.folder, `folder-${at % 100}`);
    if (at < 100) await mkdir(path);
    await writeFile(join(path, `object-${at}.txt`), `${at} `.repeat(400));
  }
  const { endpoint, accessKeyId, secretAccessKey } = server;
  const target = join(folder, 'objects');
  const remote = `:s3,provider=Other,endpoint='${endpoint}',access_key_id=${accessKeyId},secret_access_key=${secretAccessKey}:bench`;
  const copy = timedProgram([
    'rclone',
    'copy',
    '--transfers',
    '16',
    '--checkers',
    '16',
    '--config',
    '/dev/null',
    remote,
    target,
  ]);
  const peer = {
    name: 'rclone',
    cpuTimes: copy.cpuTimes,
    async run(): Promise<number> {
      await rm(target, { recursive: true, force: true });
      const seconds = await copy.run();
      const found = (await readdir(target, { recursive: true })).filter((name) => name.endsWith('.txt')).length;
      if (found !== objects) throw new Error(`rclone copied ${found} of ${objects} objects`);
      return seconds;
    },
  };
  const config = { endpoint, bucket: 'bench', accessKeyId, secretAccessKey };
  await compare(`${objects} objects of S3`, 'objects/s', objects, { service, type: 's3', config, peer });
}

type Peer = { name: string; cpuTimes(): Promise<CpuTimes>; run(): Promise<number> };

async function compare(
  title: string,
  unit: string,
  amount: number,
  { service, type, config, peer }: { service: RunningService; type: string; config: object; peer: Peer },
): Promise<void> {
  const sideOf = (name: string, cpuTimes: () => Promise<CpuTimes>, seconds: () => Promise<number>): Side => ({
    name,
    unit,
    run: async () => amount / (await seconds()),
    cpu: { unit: { name: 's', perSecond: 1 }, read: cpuTimes, amountOf: () => 1 },
  });
  await comparePairs(
    title,
    sideOf('tilth', service.cpuTimes, async () => (await collect(service, type, config, amount)).seconds),
    sideOf(peer.name, peer.cpuTimes, peer.run),
  );
}

/** Runs a new task to its end; wall time from the request to the end of the run. */
async function collect(
  { api, headers }: RunningService,
  type: string,
  config: object,
  expected?: number,
): Promise<{ seconds: number; datasetId: string }> {
  const tasks = `${api}/data-collection/tasks`;
  const task = { name: `From ${type} ${performance.now()}`, connector: { type, config } };
  const { data: created } = (await postJson(tasks, task, headers)) as { data: { id: string } };
  const begun = performance.now();
  const { data: run } = (await postJson(`${tasks}/${created.id}/execute`, {}, headers)) as { data: { id: string } };
  for (;;) {
    await setTimeout(50);
    const answer = await fetch(`${tasks}/${created.id}/runs/${run.id}`, { headers });
    const { data } = (await answer.json()) as {
      data: { status: string; error: string | null; counts: { kept: number } };
    };
    if (data.status === 'QUEUED' || data.status === 'RUNNING') continue;
    const seconds = (performance.now() - begun) / 1000;
    if (data.status !== 'COMPLETED') throw new Error(`The run is ${data.status}: ${data.error}`);
    if (expected !== undefined && data.counts.kept !== expected)
      throw new Error(`${data.counts.kept} inputs were kept`);
    const { data: after } = (await (await fetch(`${tasks}/${created.id}`, { headers })).json()) as {
      data: { targetDatasetId: string };
    };
    return { seconds, datasetId: after.targetDatasetId };
  }
}

async function compareContent({ api, headers }: RunningService, datasetId: string, path: string): Promise<void> {
  const files = `${api}/data-management/datasets/${datasetId}/files`;
  const { content } = (await (await fetch(files, { headers })).json()) as { content: { id: string }[] };
  const answer = await fetch(`${files}/${content[0]?.id}/download`, { headers });
  const [own, other] = [createHash('sha256'), createHash('sha256')];
  if (answer.body !== null) await pipeline(answer.body, own);
  await pipeline(createReadStream(path), other);
  if (own.digest('hex') !== other.digest('hex')) throw new Error('The collected rows differ from those of psql');
}

/** A program on the first core; `run` returns its seconds. */
function timedProgram(command: readonly string[]): Omit<Peer, 'name'> {
  let cpuSeconds = 0;
  // rclone would read settings of other S3 servers from these.
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_')));
  return {
    cpuTimes: () => Promise.resolve(new Map([[mainThread, cpuSeconds]])),
    async run() {
      const script = 'time taskset -c "$0" "$@"';
      const { stderr } = await execute('bash', ['-c', script, serverCores, ...command], {
        env: { ...own, TIMEFORMAT: '%R %U %S' },
      });
      const [seconds = 0, user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
      cpuSeconds += user + system;
      return seconds;
    },
  };
}
