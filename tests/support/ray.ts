// A Ray cluster on loopback: a head and nodes, each a group of processes that can be killed like a lost machine.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { findPython } from './python.ts';
import type { Ending } from './server.ts';
import { postgres } from './postgres.ts';
import { areAllToolsRequired, testWith } from './tools.ts';
import { versitygw } from './versitygw.ts';

export const rayRequirements = fileURLToPath(new URL('ray-requirements.txt', import.meta.url));

const program = fileURLToPath(new URL('ray-node.py', import.meta.url));

/** Set in the environment of all processes of a node, to find them. */
const marker = 'TILTH_TEST_RAY_NODE';

export type RayProcess = { pid: number; command: string };

export type RayNode = {
  /** All processes of the node: Ray's, and those that run on it. */
  processes(): RayProcess[];
  signal(signal: NodeJS.Signals): void;
  /** Kills all processes at once, like the loss of a machine. */
  kill(): Promise<void>;
};

export type RayCluster = {
  url: string;
  /** Address of the head for programs on its machine. */
  address: string;
  token: string;
  readonly head: RayNode;
  readonly nodes: readonly RayNode[];
  /** Processes of all nodes whose command matches. */
  find(command: RegExp): RayProcess[];
  /** Starts another node. */
  addNode(): Promise<RayNode>;
  /** Stops the head and all nodes and starts them again, on the same ports: the cluster has lost all its state. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export type RayOptions = {
  cpus?: number;
  nodes?: number;
  /** Environment of the nodes. */
  env: Record<string, string>;
};

/** What this machine lacks for Ray, which is installed on demand; undefined if nothing. */
export function missingForRay(): string | undefined {
  return findPython('python3', rayRequirements).problem;
}

/** A Python that has Ray. */
export function findRayPython(): string {
  const found = findPython('python3', rayRequirements);
  if (found.program === undefined) throw new Error(found.problem);
  return found.program;
}

/** A test that needs Ray, PostgreSQL and an S3 server. */
export function testWithRay(name: string, run: (t: TestContext) => Promise<void>): void {
  testWith([postgres, versitygw], name, async (t) => {
    const missing = missingForRay();
    if (missing === undefined) return run(t);
    if (areAllToolsRequired()) assert.fail(missing);
    t.skip(missing);
  });
}

/** Starts a cluster whose head runs only drivers and whose nodes have `cpus` each. It stops with the test. */
export async function startRay(t: Ending, { cpus = 2, nodes: count = 1, env }: RayOptions): Promise<RayCluster> {
  const python = findRayPython();
  const directory = await mkdtemp(join(tmpdir(), 'tilth-ray-'));
  const token = 'the token of a cluster of the tests';
  const ports = await Promise.all(Array.from({ length: 4 }, () => freePort()));
  const [gcs = 0, dashboard = 0, client = 0, agent = 0] = ports;
  const address = `127.0.0.1:${gcs}`;
  const url = `http://127.0.0.1:${dashboard}`;
  let started = 0;
  let head: RayNode | undefined;
  let nodes: RayNode[] = [];

  function launch(args: readonly string[]): { node: RayNode; child: ChildProcess; log: string } {
    started += 1;
    const name = `${directory}/${started}`;
    const log = `${name}.log`;
    const output = openSync(log, 'w');
    const child = spawn(python, [program, 'start', '--block', ...common, ...args], {
      cwd: directory,
      // A process group of its own, to find processes that have overwritten their environment.
      detached: true,
      stdio: ['ignore', output, output],
      env: {
        ...withoutSettings(),
        PATH: [dirname(python), process.env['PATH'] ?? ''].join(delimiter),
        RAY_AUTH_MODE: 'token',
        RAY_AUTH_TOKEN: token,
        RAY_USAGE_STATS_ENABLED: '0',
        RAY_TMPDIR: directory,
        RAY_DISABLE_IMPORT_WARNING: '1',
        // Ray runs its workers at nice 15, at which they starve on a busy machine.
        RAY_worker_niceness: '0',
        TMPDIR: directory,
        ...env,
        [marker]: name,
      },
    });
    closeSync(output);
    const processes = (): RayProcess[] => listProcesses(name, child.pid ?? 0);
    const signal = (wanted: NodeJS.Signals): void => {
      for (const { pid } of processes()) send(pid, wanted);
    };
    const node: RayNode = {
      processes,
      signal,
      async kill() {
        // Killed processes stay dead; processes started meanwhile are found in the next round.
        for (; processes().length > 0; await pause(20)) signal('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        nodes = nodes.filter((one) => one !== node);
      },
    };
    return { node, child, log };
  }

  const common = [
    '--disable-usage-stats',
    '--object-store-memory=80000000',
    '--min-worker-port=0',
    '--max-worker-port=0',
    '--dashboard-agent-grpc-port=0',
    '--include-log-monitor=false',
  ];

  // Ray gives a node, including the head, 30 s to start; a busy machine may need another attempt.
  async function startHead(tries = 3): Promise<void> {
    const { node, child, log } = launch([
      '--head',
      '--node-ip-address=127.0.0.1',
      `--port=${gcs}`,
      '--dashboard-host=127.0.0.1',
      `--dashboard-port=${dashboard}`,
      `--ray-client-server-port=${client}`,
      `--dashboard-agent-listen-port=${agent}`,
      `--temp-dir=${await mkdtemp(join(directory, 'h'))}`,
      '--num-cpus=0',
    ]);
    head = node;
    try {
      await untilUp(child, log, async () => (await statusOf(`${url}/api/jobs/`, token)) === 200);
    } catch (error) {
      if (tries === 1) throw error;
      await node.kill();
      await startHead(tries - 1);
    }
  }

  async function addNode(tries = 3): Promise<RayNode> {
    const { node, child, log } = launch([
      `--address=${address}`,
      '--node-ip-address=127.0.0.1',
      `--dashboard-agent-listen-port=${await freePort()}`,
      `--num-cpus=${cpus}`,
    ]);
    nodes.push(node);
    try {
      await untilUp(child, log);
      return node;
    } catch (error) {
      if (tries === 1) throw error;
      await node.kill();
      return addNode(tries - 1);
    }
  }

  async function killAll(): Promise<void> {
    await Promise.all([...(head === undefined ? [] : [head]), ...nodes].map((node) => node.kill()));
    nodes = [];
  }

  async function startAll(): Promise<void> {
    await startHead();
    for (let number = 0; number < count; number += 1) await addNode();
  }

  const stop = async (): Promise<void> => {
    await killAll();
    await rm(directory, { recursive: true, force: true });
  };
  t.after(stop);
  await startAll();
  return {
    url,
    address,
    token,
    get head() {
      if (head === undefined) throw new Error('The head was not started');
      return head;
    },
    get nodes() {
      return nodes;
    },
    find: (command) =>
      [head, ...nodes].flatMap((node) => node?.processes() ?? []).filter((one) => command.test(one.command)),
    addNode: () => addNode(),
    async restart() {
      await killAll();
      await startAll();
    },
    stop,
  };
}

export function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // The process has ended.
    return false;
  }
}

function withoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:TILTH_|AWS_|NODE_TEST_CONTEXT)/.test(name)),
  );
}

/** The processes of its group or with its name in their environment, and their descendants, which may have neither. */
function listProcesses(node: string, group: number): RayProcess[] {
  const wanted = `${marker}=${node}\0`;
  const children = new Map<number, RayProcess[]>();
  const found = new Map<number, RayProcess>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const read = (file: string): string => readFileSync(`/proc/${name}/${file}`, 'latin1');
      const [state, parent, groupId] = read('stat')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (state === 'Z') continue;
      const one = { pid: Number(name), command: read('cmdline').replaceAll('\0', ' ').trim() };
      children.set(Number(parent), [...(children.get(Number(parent)) ?? []), one]);
      if (Number(groupId) === group || `${read('environ')}\0`.includes(wanted)) found.set(one.pid, one);
    } catch {
      // The process has ended meanwhile.
    }
  }
  // Iterating a map also visits entries added meanwhile.
  for (const pid of found.keys()) for (const child of children.get(pid) ?? []) found.set(child.pid, child);
  return [...found.values()];
}

async function untilUp(
  child: ChildProcess,
  log: string,
  isReady: () => Promise<boolean> = async () => true,
): Promise<void> {
  for (let looks = 0; looks < 1500; looks += 1) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    if ((await readFile(log, 'utf8')).includes('Ray runtime started') && (await isReady())) return;
    await pause(100);
  }
  throw new Error(`Ray did not start: ${(await readFile(log, 'utf8')).slice(-2000)}`);
}

/** Ray refuses requests of `fetch`. */
function statusOf(url: string, token: string): Promise<number> {
  return new Promise((resolve) => {
    const call = request(url, { headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.on('error', () => resolve(0));
    call.end();
  });
}
