// TILTH_BENCH_RANGES (100,000) random byte ranges of one file: how many return wrong bytes. Then the time of GET of a
// dataset with and without a constant download of the file.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printMachine } from './machine.ts';
import { curl, missingPrograms, startService, type RunningService } from './running-service.ts';

const rangeCount = Number(process.env['TILTH_BENCH_RANGES'] ?? 100_000);
const sizeBytes = 64 * 1024 * 1024 + 12_345;
const parallel = 16;
const calls = 3_000;

type Answer = { status: number; contentRange: string | undefined; body: Buffer };

if ((await missingPrograms({ curl: 'curl' })).length > 0) process.exit(0);
printMachine();
const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
const agent = new Agent({ keepAlive: true, maxSockets: parallel });
let service: RunningService | undefined;
try {
  const file = join(directory, 'content.bin');
  const content = randomBytes(sizeBytes);
  await writeFile(file, content);
  service = await startService(join(directory, 'data'));
  const answer = await curl([...service.headerArgs, '-F', `files=@${file}`, `${service.dataset}/files/upload`]);
  const [uploaded] = JSON.parse(answer) as { id: string }[];
  const url = `${service.dataset}/files/${uploaded?.id ?? ''}/download`;
  await checkRanges(service, url, content);
  await measureWait(service, url);
} finally {
  agent.destroy();
  await service?.stop();
  await rm(directory, { recursive: true });
}

async function checkRanges({ headers }: RunningService, url: string, content: Buffer): Promise<void> {
  const random = seededRandom(20_261_121);
  let sent = 0;
  let wrong = 0;
  const begun = performance.now();
  async function work(): Promise<void> {
    while (sent++ < rangeCount) {
      const { header, start, end } = randomRange(random);
      const { status, contentRange, body } = await get(url, { ...headers, range: header });
      const right =
        status === 206 &&
        contentRange === `bytes ${start}-${end - 1}/${sizeBytes}` &&
        body.equals(content.subarray(start, end));
      if (right) continue;
      wrong++;
      console.log(`  ${header}: ${status}, ${contentRange}, ${body.length} bytes`);
    }
  }
  await Promise.all(Array.from({ length: parallel }, work));
  const seconds = (performance.now() - begun) / 1000;
  console.log(
    `${rangeCount.toLocaleString('en')} random ranges, wrong: ${wrong} (${Math.round(rangeCount / seconds).toLocaleString('en')} a second)`,
  );
  if (wrong > 0) process.exitCode = 1;
}

/** Most are short; a tenth end beyond the file or count from its end, and one in a thousand has a few MiB. */
function randomRange(random: () => number): { header: string; start: number; end: number } {
  const longest = random() < 0.001 ? 4 * 1024 * 1024 : random() < 0.5 ? 64 : 16_384;
  const length = 1 + Math.floor(random() * longest);
  const kind = random();
  if (kind < 0.05) return { header: `bytes=-${length}`, start: sizeBytes - length, end: sizeBytes };
  if (kind < 0.1) return { header: `bytes=${sizeBytes - length}-`, start: sizeBytes - length, end: sizeBytes };
  const start = Math.floor(random() * sizeBytes);
  return { header: `bytes=${start}-${start + length - 1}`, start, end: Math.min(start + length, sizeBytes) };
}

async function measureWait({ dataset, headers, headerArgs }: RunningService, url: string): Promise<void> {
  const show = (name: string, times: number[]) =>
    console.log(
      `  GET of a dataset ${name}: p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms, most ${at(times, 1)} ms`,
    );
  await timesOf(dataset, headers);
  show('alone', await timesOf(dataset, headers));
  const loop = 'while curl -sS --fail -o /dev/null "$@"; do :; done';
  const download = spawn('taskset', ['-c', '1', 'sh', '-c', loop, 'sh', ...headerArgs, url], { detached: true });
  try {
    show('during a download', await timesOf(dataset, headers));
  } finally {
    if (download.pid !== undefined) process.kill(-download.pid);
  }
}

async function timesOf(url: string, headers: Readonly<Record<string, string>>): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) {
    const begun = performance.now();
    const { status } = await get(url, headers);
    if (status !== 200) throw new Error(`${url} answered ${status}`);
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b);
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2);
}

function get(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          contentRange: response.headers['content-range'],
          body: Buffer.concat(pieces),
        }),
      );
    });
    call.on('error', reject);
    call.end();
  });
}

/** Mulberry32: the same ranges in each run. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
