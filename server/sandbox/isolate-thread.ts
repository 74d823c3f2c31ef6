// The thread of the fast lane: it starts the process, passes requests on and kills it when a limit is broken.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { workerData, type MessagePort } from 'node:worker_threads';
import { bubblewrapArguments } from './bubblewrap.ts';
import { createFrameCollector, encodeFrame } from './frames.ts';
import type { ProcessAnswer, ProcessRequest } from './isolate-process.ts';
import { signalSlots, type Breach, type LaneAnswer, type LaneRequest, type LaneSetup } from './lane.ts';
import { processCpuMs } from './cpu-time.ts';

type Running = {
  child: ChildProcess;
  /** The process of Node itself; bwrap is its parent. */
  pid: Promise<number>;
  take(piece: Buffer): void;
  ended(cause: string): void;
};

const setup = workerData as LaneSetup;
const signal = new Int32Array(setup.signal);
const { port } = workerData as { port: MessagePort };

const lookMs = 10;
/** An empty process with an isolate takes less than this; the memory of the code comes on top. */
const ownMemoryMb = 200;
const pageBytes = 4096;

let running: Running | undefined;

port.on('message', (request: LaneRequest) => {
  answerTo(request)
    .catch((error: unknown): LaneAnswer => {
      const cause = error instanceof Error ? error.message : String(error);
      return { kind: 'breach', breach: { limit: 'end', cause } };
    })
    .then((answer) => {
      port.postMessage(answer, answer.kind === 'done' ? [answer.answers.buffer as ArrayBuffer] : []);
      Atomics.add(signal, signalSlots.answers, 1);
      Atomics.notify(signal, signalSlots.answers);
    })
    .catch((error: unknown) => {
      throw error;
    });
});

async function answerTo(request: LaneRequest): Promise<LaneAnswer> {
  const isOpen = request.op === 'open';
  const head: ProcessRequest = isOpen
    ? { op: 'open', key: request.key, kind: request.code.kind, params: request.params }
    : { op: 'run', key: request.key };
  const current = (running ??= start());
  const { promise, resolve } = Promise.withResolvers<LaneAnswer>();
  const collector = createFrameCollector(setup.resultBytes + 65_536);
  let highestBytes = 0;
  const breach = (broken: Breach): void => {
    end();
    resolve({ kind: 'breach', breach: broken });
  };
  current.take = (piece) => {
    try {
      const frame = collector.push(piece);
      if (frame === undefined) return;
      const answer = frame.head as ProcessAnswer;
      const peakBytes = answer.kind === 'done' ? answer.peakBytes : highestBytes;
      resolve(answer.kind === 'done' ? { kind: 'done', answers: new Uint8Array(frame.bytes), peakBytes } : answer);
    } catch (error) {
      breach({ limit: 'result', cause: error instanceof Error ? error.message : String(error) });
    }
  };
  current.ended = (cause) => breach({ limit: 'end', cause });
  const pid = await current.pid;
  const startCpuMs = processCpuMs(pid) ?? 0;
  const watch = setInterval(() => {
    highestBytes = residentBytes(pid);
    if (highestBytes > (ownMemoryMb + setup.memoryMb) << 20)
      breach({ limit: 'memory', cause: 'Its process grew too large' });
    else if ((processCpuMs(pid) ?? 0) - startCpuMs > setup.cpuMs)
      breach({ limit: 'time', cause: 'It worked too long' });
  }, lookMs);
  for (const part of encodeFrame({ head, bytes: isOpen ? request.code.bytes : request.batch })) {
    current.child.stdin?.write(part);
  }
  try {
    return await promise;
  } finally {
    clearInterval(watch);
    current.take = () => end();
    current.ended = () => {};
  }
}

function start(): Running {
  const module = fileURLToPath(new URL('isolate-process.ts', import.meta.url));
  const args = bubblewrapArguments([
    '--no-node-snapshot',
    '--disable-warning=ExperimentalWarning',
    module,
    String(setup.memoryMb),
  ]);
  const { promise: pid, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn('bwrap', ['--info-fd', '3', ...args], {
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const started: Running = { child, pid, take: () => {}, ended: () => {} };
  let errorText = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (errorText = (errorText + piece).slice(-2000)));
  child.stdout?.on('data', (piece: Buffer) => started.take(piece));
  child.stdin?.on('error', () => undefined);
  let info = '';
  (child.stdio[3] as NodeJS.ReadableStream | undefined)?.setEncoding('utf8').on('data', (piece: string) => {
    info += piece;
    const found = /"child-pid":\s*(\d+)/.exec(info)?.[1];
    if (found === undefined) return;
    // The system takes it before the service when memory runs out.
    try {
      writeFileSync(`/proc/${found}/oom_score_adj`, '1000');
    } catch {
      // It has ended already, which `close` reports.
    }
    resolve(Number(found));
  });
  const gone = (cause: string): void => {
    if (running === started) running = undefined;
    reject(new Error(cause));
    started.ended(cause);
  };
  pid.catch(() => undefined);
  child.once('error', (error) => gone(error.message));
  child.once('close', (code, name) => gone(errorText.trim().split('\n').at(-1) || name || `code ${code}`));
  return started;
}

function end(): void {
  const child = running?.child;
  running = undefined;
  // With bwrap, all processes in its namespace end.
  child?.kill('SIGKILL');
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1] ?? 0) * pageBytes;
  } catch {
    return 0;
  }
}
