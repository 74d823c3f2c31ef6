import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readCpuTimes, type CpuTimes } from './cpu-times.ts';
import { buildServer } from '../scripts/server-build.mjs';

const execute = promisify(execFile);
/** Password of admin. */
export const servicePassword = 'a password for the benchmark';

/** A service in its own process on the first core, with a dataset and without rate limits. */
export type RunningService = {
  /** Of the service's process. */
  pid: number;
  /** Milliseconds from the start of the process to the first response. */
  startMs: number;
  /** URL of the dataset. */
  dataset: string;
  /** URL of the API. */
  api: string;
  headers: Readonly<Record<string, string>>;
  /** The headers as curl arguments. */
  headerArgs: readonly string[];
  /** Current resident memory in MiB. */
  residentMib(): Promise<number>;
  /** CPU seconds by thread so far. */
  cpuTimes(): Promise<CpuTimes>;
  stop(): Promise<void>;
};

export async function startService(
  dataDirectory: string,
  settings: Readonly<Record<string, string>> = {},
  logFile?: string,
): Promise<RunningService> {
  const { url, startMs, child, cpuTimes, stop } = await startServer(
    await startCommand(),
    {
      TILTH_PORT: '0',
      TILTH_DATA_DIR: dataDirectory,
      TILTH_ADMIN_PASSWORD: servicePassword,
      TILTH_RATE_LIMIT_PER_MINUTE: '0',
      TILTH_RATE_LIMIT_PER_HOUR: '0',
      TILTH_LOG_LEVEL: 'warn',
      TILTH_TOKEN_TTL_SECONDS: '86400',
      ...settings,
    },
    logFile,
  );
  const api = `${url}/api/v1`;
  const { token } = (await postJson(`${api}/auth/login`, { username: 'admin', password: servicePassword })) as {
    token: string;
  };
  const authorization = `Bearer ${token}`;
  return {
    pid: child.pid ?? 0,
    startMs,
    dataset: await createDataset({ api, headers: { authorization } }),
    api,
    headers: { authorization },
    headerArgs: ['-H', `Authorization: ${authorization}`],
    async residentMib() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
    },
    cpuTimes,
    stop,
  };
}

/** Cores of the compared servers and programs: the first, unless `TILTH_BENCH_CORES` gives a list as for taskset. */
export const serverCores = process.env['TILTH_BENCH_CORES'] ?? '0';

/**
 * Starts a Node program on the first core that prints its URL and logs to a file or to this terminal; it does not
 * inherit the settings of this shell.
 */
export async function startServer(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  logFile?: string,
) {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TILTH_')));
  const begun = performance.now();
  const child = spawn('taskset', ['-c', serverCores, process.execPath, ...args], {
    env: { ...own, ...settings },
    stdio: ['ignore', 'pipe', logFile === undefined ? 'inherit' : openSync(logFile, 'w')],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (piece: Buffer) => {
      output += piece.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`The service ended early: ${output}`)));
  });
  await fetch(url);
  const startMs = performance.now() - begun;
  async function stop(): Promise<void> {
    if (child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  }
  return { url, startMs, child, cpuTimes: () => readCpuTimes(child.pid ?? 0), stop };
}

/** The Node arguments of `npm start`: flags, program of the build, which is updated first, and command. */
export async function startCommand(): Promise<string[]> {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  const [, args] = scripts.start.split(' --built ');
  if (args === undefined) throw new Error(`npm start does not start from the build: ${scripts.start}`);
  const folder = await buildServer(process.execPath);
  return args.split(' ').map((arg) => (arg.endsWith('.ts') ? join(folder, arg.replace(/\.ts$/, '.js')) : arg));
}

let datasets = 0;

/** Creates an empty dataset; returns its URL. */
export async function createDataset({ api, headers }: Pick<RunningService, 'api' | 'headers'>): Promise<string> {
  const body = { name: `Benchmark ${++datasets}`, type: 'TEXT' };
  const { id } = (await postJson(`${api}/data-management/datasets`, body, headers)) as { id: string };
  return `${api}/data-management/datasets/${id}`;
}

/** Sends JSON and returns the parsed response; throws unless it is a success. */
export async function postJson(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Runs curl on the second core; throws unless it received a complete response. */
export async function curl(args: readonly string[]): Promise<string> {
  const { stdout } = await execute('taskset', ['-c', '1', 'curl', '-sS', '--fail', '-m', '600', ...args]);
  return stdout;
}

/** Seconds that curl takes to download a response and discard it. */
export async function timeDownload(url: string, headerArgs: readonly string[], sizeBytes: number): Promise<number> {
  const output = await curl([...headerArgs, '-o', '/dev/null', '-w', '%{size_download} %{time_total}', url]);
  const [received, seconds = 0] = output.split(' ').map(Number);
  if (received !== sizeBytes) throw new Error(`${url} gave ${received} of ${sizeBytes} bytes`);
  return seconds;
}

/** The missing programs, and how to install them; prints them. */
export async function missingPrograms(programs: Readonly<Record<string, string>>): Promise<string[]> {
  const missing: string[] = [];
  for (const [program, debianPackage] of Object.entries(programs)) {
    const found = await execute('sh', ['-c', 'PATH="$PATH:/usr/sbin:/sbin" command -v "$1"', 'sh', program]).then(
      () => true,
      () => false,
    );
    if (!found) missing.push(`${program} (apt-get install ${debianPackage})`);
  }
  if (missing.length > 0) console.log(`Skipped: this benchmark needs ${missing.join(', ')}.`);
  return missing;
}

/** Records the peak resident memory during `work`, in MiB above the current value. */
export async function growthDuring(service: RunningService, work: () => Promise<void>): Promise<number> {
  const before = await service.residentMib();
  let most = before;
  const timer = setInterval(() => {
    service.residentMib().then(
      (mib) => (most = Math.max(most, mib)),
      () => {},
    );
  }, 50);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}
