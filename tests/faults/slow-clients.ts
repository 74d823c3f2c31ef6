import { setTimeout as pause } from 'node:timers/promises';
import { patternBytes } from '../support/blobs.ts';
import { startProcess, type Ending, type RunningProcess } from '../support/server.ts';
import { measureCalls } from './answer-times.ts';
import { createCaller, type Caller } from './caller.ts';
import type { CampaignSize, CaseOutcome, FaultCase, FaultFamily } from './family.ts';
import type { SlowPlan } from './slow-clients/slow-connections.ts';
import { countSockets, openCrowd, residentMebibytes, type SlowCrowd } from './slow-clients/slow-crowd.ts';

/** Timeouts of the service, for headers and for stalled clients. */
const limitSeconds = { short: 2, full: 10 } as const;
const beatMs = { short: 250, full: 1_000 } as const;
/** A client that keeps moving must still be connected after this many times that limit. */
const holdLimits = 2.5;
/**
 * The campaign's limit on the answer times of others: this, plus ten times the slowest answer just before, without
 * other clients. `npm run test:long`, on machines with other work, has no limit.
 */
const longestAnswerMs = 2_000;
const restMs = 1_000;

/** Fewer readers, because each fills megabytes of kernel buffers. */
const counts = {
  short: { connections: 200, readers: 20, finished: 20 },
  full: { connections: 10_000, readers: 300, finished: 200 },
} as const;

/**
 * Thousands of slow or stalled clients, in every part of a call: stalled ones must be cut, moving ones never, and
 * others must still get quick answers.
 */
export const slowClients: FaultFamily = {
  name: 'slow-clients',
  // Slow transfers never reach the database.
  databases: ['sqlite'],
  missing: () => (process.platform === 'linux' ? undefined : 'Linux (/proc tells what a process holds)'),
  jobs: 1,
  async prepare(t, { size }) {
    const settings = {
      TILTH_LOG_LEVEL: 'error',
      TILTH_HEADERS_TIMEOUT_SECONDS: String(limitSeconds[size]),
      TILTH_STALL_TIMEOUT_SECONDS: String(limitSeconds[size]),
    };
    const service = await startProcess(t, { settings });
    const caller = createCaller(service);
    const created = await caller.call('POST', '/datasets', { json: { name: 'slow', type: 'TEXT' } });
    if (created.kind !== 'answer') throw new Error('No dataset could be made');
    const { id: datasetId } = created.json() as { id: string };
    const form = [{ name: 'files', fileName: 'large.bin', value: patternBytes(1, 16 * 1024 * 1024) }];
    const stored = await caller.call('POST', `/datasets/${datasetId}/files/upload`, { form });
    if (stored.kind !== 'answer' || stored.status !== 201) throw new Error('No file could be stored');
    const [file] = stored.json() as { id: string }[];
    const bench: Bench = { service, caller, datasetId, fileId: file?.id ?? '', size };
    const cases = [
      caseOf(bench, 'slow-headers', slowHeaders),
      caseOf(bench, 'slow-bodies', slowBodies),
      caseOf(bench, 'stalled-bodies', stalledBodies),
      caseOf(bench, 'stalled-reads', stalledReads),
    ];
    return size === 'short' ? cases : [caseOf(bench, 'idle', idle), ...cases, caseOf(bench, 'slow-reads', slowReads)];
  },
};

type Bench = { service: RunningProcess; caller: Caller; datasetId: string; fileId: string; size: CampaignSize };
type Play = (t: Ending, bench: Bench, atStart: number) => Promise<string[]>;

function caseOf(bench: Bench, kind: string, play: Play): FaultCase {
  return { id: `${kind}-${counts[bench.size].connections}`, run: (t) => runCase(t, bench, kind, play) };
}

/** Meanwhile others call; afterwards the service must hold no more connections than before. */
async function runCase(t: Ending, bench: Bench, kind: string, play: Play): Promise<CaseOutcome> {
  const { service, caller, datasetId, size } = bench;
  const atStart = await countSockets(service.pid);
  const calls = [
    async () => void (await caller.get('/datasets')),
    async () => void (await caller.get(`/datasets/${datasetId}/files`)),
    async () => void (await caller.get(`/datasets/${datasetId}/statistics`)),
  ];
  const resting = measureCalls(calls);
  await pause(restMs);
  const atRest = await resting.stop();
  const others = measureCalls(calls);
  const violations = await play(t, bench, atStart);
  const times = await others.stop();
  if (size === 'full') {
    console.log(`  ${kind}: ${times.sentence()}, ${await residentMebibytes(service.pid)} MiB`);
    if (times.quantile(1) > longestAnswerMs + 10 * atRest.quantile(1))
      violations.push(`others waited: ${times.sentence()}; at rest ${atRest.sentence()}`);
  }
  return { violations };
}

async function crowdOf(
  t: Ending,
  { service }: Bench,
  plan: Omit<SlowPlan, 'port' | 'reading' | 'beatMs'> & Partial<SlowPlan>,
): Promise<SlowCrowd> {
  const port = Number(new URL(service.url).port);
  return openCrowd(t, { port, beatMs: undefined, reading: 'all', ...plan });
}

const idle: Play = async (t, bench, atStart) => {
  const crowd = await crowdOf(t, bench, { count: counts[bench.size].connections, request: '', atOnceBytes: 0 });
  return endOf(crowd, bench, atStart, 'that never ask anything');
};

const slowHeaders: Play = async (t, bench, atStart) => {
  const request = `GET /api/v1/data-management/datasets HTTP/1.1\r\nHost: x\r\nX-Slow: ${'x'.repeat(4000)}\r\n\r\n`;
  const { connections } = counts[bench.size];
  const crowd = await crowdOf(t, bench, { count: connections, request, atOnceBytes: 60, beatMs: beatMs[bench.size] });
  return endOf(crowd, bench, atStart, 'whose headers drip');
};

const slowBodies: Play = async (t, bench) => {
  const { connections, finished } = counts[bench.size];
  const { request, bodyStart } = await chunkRequest(bench, connections);
  const crowd = await crowdOf(t, bench, {
    count: connections,
    request,
    atOnceBytes: bodyStart + 10,
    beatMs: beatMs[bench.size],
  });
  await pause(holdLimits * 1000 * limitSeconds[bench.size]);
  const violations: string[] = [];
  if (crowd.report.open < connections) violations.push(`${connections - crowd.report.open} that moved were cut`);
  const before = await countFiles(bench);
  crowd.finish(finished);
  if (!(await crowd.until(({ answered }) => (answered['200'] ?? 0) >= finished)))
    violations.push(`of ${finished} slow uploads ended ${JSON.stringify(crowd.report.answered)}`);
  const stored = (await countFiles(bench)) - before;
  if (stored !== finished) violations.push(`${finished} uploads were sent to their end, ${stored} files are there`);
  return violations;
};

const stalledBodies: Play = async (t, bench, atStart) => {
  const { connections } = counts[bench.size];
  const { request, bodyStart } = await chunkRequest(bench, connections);
  const before = await countFiles(bench);
  const crowd = await crowdOf(t, bench, { count: connections, request, atOnceBytes: bodyStart + 10 });
  const violations = await endOf(crowd, bench, atStart, 'that stopped in the middle of a body');
  if ((await countFiles(bench)) !== before) violations.push('a body that was cut became a file');
  return violations;
};

const slowReads: Play = async (t, bench) => {
  const { readers } = counts[bench.size];
  const request = downloadRequest(bench);
  const slowly = {
    count: readers,
    request,
    atOnceBytes: request.length,
    beatMs: beatMs[bench.size] / 4,
    reading: 'slowly' as const,
  };
  await crowdOf(t, bench, slowly);
  const opened = await countSockets(bench.service.pid);
  await pause(holdLimits * 1000 * limitSeconds[bench.size]);
  const left = await countSockets(bench.service.pid);
  // The connections of the other callers may come and go.
  return left < opened - 3 ? [`${opened - left} readers that moved were cut`] : [];
};

const stalledReads: Play = async (t, bench, atStart) => {
  const request = downloadRequest(bench);
  const nothing = {
    count: counts[bench.size].readers,
    request,
    atOnceBytes: request.length,
    reading: 'nothing' as const,
  };
  const crowd = await crowdOf(t, bench, nothing);
  return endOf(crowd, bench, atStart, 'that take nothing of their answer');
};

/** The service must close all of them by itself. */
async function endOf(crowd: SlowCrowd, { service }: Bench, atStart: number, who: string): Promise<string[]> {
  const ended = await crowd.until(async () => (await countSockets(service.pid)) <= atStart + 3);
  return ended ? [] : [`${(await countSockets(service.pid)) - atStart} connections ${who} are still open`];
}

function downloadRequest({ service, datasetId, fileId }: Bench): string {
  const path = `/api/v1/data-management/datasets/${datasetId}/files/${fileId}/download`;
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`;
}

/** A chunk that is a whole file; each connection sends its own. */
async function chunkRequest(
  { service, caller, datasetId }: Bench,
  count: number,
): Promise<{ request: string; bodyStart: number }> {
  const at = `/datasets/${datasetId}/files/upload`;
  const announced = await caller.call('POST', `${at}/pre-upload`, {
    json: { totalFileNum: count, totalSize: count * 100 },
  });
  if (announced.kind !== 'answer' || announced.status !== 200) throw new Error('No upload could be announced');
  const reqId = announced.json() as string;
  const part = (name: string, value: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const body =
    part('reqId', reqId) +
    part('fileNo', '#') +
    part('fileName', `${reqId}/#.txt`) +
    part('totalChunkNum', '1') +
    part('chunkNo', '1') +
    `--b\r\nContent-Disposition: form-data; name="file"; filename="blob"\r\n\r\n${'y'.repeat(100)}\r\n--b--\r\n`;
  // The number is longer than its placeholder: the length is computed from the pieces.
  const head =
    `POST /api/v1/data-management${at}/chunk HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n` +
    'Content-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n';
  return { request: head + asPieces(body), bodyStart: head.length };
}

/** A body in the chunked transfer coding; each `#` becomes its own piece, five digits long. */
function asPieces(body: string): string {
  return `${body
    .split('#')
    .map((text) => `${text.length.toString(16)}\r\n${text}\r\n`)
    .join('5\r\n#\r\n')}0\r\n\r\n`;
}

async function countFiles({ caller, datasetId }: Bench): Promise<number> {
  const dataset = (await caller.get(`/datasets/${datasetId}`)).json() as { fileCount: number };
  return dataset.fileCount;
}
