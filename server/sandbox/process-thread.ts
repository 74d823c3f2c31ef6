// The thread in front of a process with code: it starts the process, forwards requests and kills it when a limit is
// exceeded.
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { fstatSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { workerData, type MessagePort } from 'node:worker_threads';
import { builtModule } from '../kernel/built-modules.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { processCpuMs } from './cpu-time.ts';
import { placeBytes, places } from './exchange.ts';
import { createFrameCollector, encodeFrame } from './frames.ts';
import type { ProcessAnswer, ProcessRequest } from './process-loop.ts';
import { signalSlots, type Breach, type LaneAnswer, type LaneRequest, type LaneSetup } from './lane.ts';

type Running = {
  child: ChildProcess;
  /** Pid of the Node.js process itself, once known: in the locked case bwrap is its parent. */
  pid: number | undefined;
  /** Its CPU time when it was first measured after a request or after its last answer. */
  startCpuMs: number | undefined;
  /** Whether it has started: until then its time is not the code's. */
  isReady: boolean;
  /** Number of unanswered requests. */
  open: number;
};

const setup = workerData as LaneSetup;
const signal = new Int32Array(setup.signal);
const { port } = workerData as { port: MessagePort };

const lookMs = 10;
/** Upper bound for an empty process with an isolate; the code's memory is added to it. */
const ownMemoryMb = 200;
/**
 * A WebAssembly process ends itself this far above its limit, for systems where its memory can not be measured from
 * outside.
 */
const spareMb = 64;
const pageBytes = 4096;
const noBytes = new Uint8Array(0);

let running: Running | undefined;
let watch: NodeJS.Timeout | undefined;
let idle: NodeJS.Timeout | undefined;

port.on('message', (request: LaneRequest) => {
  if (request.op === 'open') running ??= start();
  if (running === undefined) {
    if (request.op === 'run') answer({ kind: 'unknown' });
    return;
  }
  const { head, bytes } = frameOf(request);
  if (request.op !== 'close') {
    clearTimeout(idle);
    running.open += 1;
    watch ??= setInterval(look, lookMs);
  }
  running.child.stdin?.cork();
  for (const part of encodeFrame({ head, bytes })) running.child.stdin?.write(part);
  running.child.stdin?.uncork();
});

function frameOf(request: LaneRequest): { head: ProcessRequest; bytes: Uint8Array } {
  const { op, key } = request;
  if (op === 'close') return { head: { op, key }, bytes: noBytes };
  if (op === 'open')
    return { head: { op, key, kind: request.code.kind, params: request.params }, bytes: request.code.bytes };
  const { batch } = request;
  return batch instanceof Uint8Array
    ? { head: { op, key }, bytes: batch }
    : { head: { op, key, at: batch }, bytes: noBytes };
}

function answer(given: LaneAnswer): void {
  const isPassed = given.kind === 'done' && given.answers instanceof Uint8Array;
  port.postMessage(given, isPassed ? [given.answers.buffer as ArrayBuffer] : []);
  Atomics.add(signal, signalSlots.answers, 1);
  Atomics.notify(signal, signalSlots.answers);
}

function take(from: Running, head: Exclude<ProcessAnswer, { kind: 'ready' }>, bytes: Uint8Array): void {
  from.open -= 1;
  from.startCpuMs = undefined;
  if (from.open === 0) rest();
  answer(head.kind === 'done' ? { kind: 'done', answers: head.at ?? bytes, peakBytes: head.peakBytes } : head);
}

/** Without requests, the process ends after a while to free its memory. */
function rest(): void {
  clearInterval(watch);
  watch = undefined;
  idle = setTimeout(end, setup.idleMs);
}

function look(): void {
  if (running?.pid === undefined) return;
  if (residentBytes(running.pid) > (ownMemoryMb + setup.memoryMb) << 20 || writtenBytes() > places * placeBytes)
    fail(running, { limit: 'memory', cause: 'Its process grew too large' });
  if (running === undefined || !running.isReady) return;
  const cpuMs = processCpuMs(running.pid ?? 0) ?? 0;
  running.startCpuMs ??= cpuMs;
  if (cpuMs - running.startCpuMs > setup.cpuMs) fail(running, { limit: 'time', cause: 'It worked too long' });
}

/** One answer for all pending requests: the caller does not use this thread again after a breach. */
function fail(broken: Running, breach: Breach): void {
  if (running !== broken) return;
  end();
  if (broken.open > 0) answer({ kind: 'breach', breach });
}

function start(): Running {
  const isLocked = setup.engine === 'LOCKED_PROCESS';
  const child = isLocked ? spawnLocked() : spawnForWasm();
  const pid = isLocked ? undefined : child.pid;
  const started: Running = { child, pid, startCpuMs: undefined, isReady: false, open: 0 };
  Atomics.store(signal, signalSlots.started, 0);
  const collector = createFrameCollector(setup.resultBytes);
  let errorText = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (errorText = (errorText + piece).slice(-2000)));
  child.stdout?.on('data', (piece: Buffer) => {
    if (running !== started) return;
    try {
      for (const { head, bytes } of collector.push(piece)) {
        const given = head as ProcessAnswer;
        if (given.kind === 'ready' && !started.isReady) {
          started.isReady = true;
          Atomics.store(signal, signalSlots.started, 1);
          continue;
        }
        if (started.open === 0 || given.kind === 'ready') throw new RangeError('There is more than one answer');
        take(started, given, bytes);
      }
    } catch (error) {
      fail(started, { limit: 'result', cause: error instanceof Error ? error.message : String(error) });
    }
  });
  child.stdin?.on('error', () => undefined);
  if (isLocked) readPid(started);
  else if (pid !== undefined) letGoFirst(pid);
  const gone = (cause: string): void => fail(started, { limit: 'end', cause });
  child.once('error', (error) => gone(error.message));
  child.once('close', (code, name) => gone(errorText.trim().split('\n').at(-1) || name || `code ${code}`));
  return started;
}

const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'] ?? '/usr/bin:/bin' });

/**
 * Standard streams; a pipe for bwrap's information, or one that closes when this thread ends; the files of the
 * exchange.
 */
function streams(): StdioOptions {
  const { requests, answers } = setup.exchange ?? {};
  return ['pipe', 'pipe', 'pipe', 'pipe', requests ?? 'ignore', answers ?? 'ignore'];
}

function spawnLocked(): ChildProcess {
  const args = bubblewrapArguments([
    '--no-node-snapshot',
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(new URL('isolate-process.ts', import.meta.url)),
    String(setup.memoryMb),
    String(setup.resultBytes),
  ]);
  return spawn('bwrap', ['--info-fd', '3', ...args], { env: environment(), stdio: streams() });
}

function spawnForWasm(): ChildProcess {
  const args = [
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(builtModule(new URL('wasm-process.ts', import.meta.url))),
    String(setup.memoryMb),
    String(setup.resultBytes),
    String((ownMemoryMb + setup.memoryMb + spareMb) << 20),
  ];
  return spawn(process.execPath, args, { env: environment(), stdio: streams() });
}

function readPid(started: Running): void {
  let info = '';
  (started.child.stdio[3] as NodeJS.ReadableStream | undefined)?.setEncoding('utf8').on('data', (piece: string) => {
    info += piece;
    const found = /"child-pid":\s*(\d+)/.exec(info)?.[1];
    if (found === undefined) return;
    started.pid = Number(found);
    letGoFirst(started.pid);
  });
}

/** Makes the system kill this process before the service when memory runs out. */
function letGoFirst(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // The process has already ended, which `close` reports, or the system has no such file.
  }
}

function end(): void {
  clearInterval(watch);
  watch = undefined;
  clearTimeout(idle);
  const child = running?.child;
  running = undefined;
  // With bwrap, all processes in its namespace end.
  child?.kill('SIGKILL');
}

/** Bytes that the process has written into the file of answers, which is system memory. */
function writtenBytes(): number {
  return setup.exchange === undefined ? 0 : fstatSync(setup.exchange.answers).size;
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1] ?? 0) * pageBytes;
  } catch {
    return 0;
  }
}
