import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { LossCause } from '../../server/engine/drive/remote/cluster-link.ts';
import { createObjectLines, readObjects } from '../../server/engine/drive/remote/lines.ts';
import { builtModule } from '../../server/kernel/built-modules.ts';
import type { Ending } from './server.ts';

type Said = { type: 'run'; id: string; order: unknown } | { type: 'cancel'; id: string };
type Busy = {
  child: ChildProcess;
  write: (message: object) => Promise<void>;
  id: string | undefined;
  cause: LossCause;
};

export type TestCluster = {
  /** The driver's ends of the two streams. */
  lines: { input: PassThrough; output: PassThrough };
  /** Reports a new number of slots. */
  tellSlots(slots: number): void;
  /** Kills a process that works on an order, like the system or a lost node would; false if there is none. */
  loseOne(cause: LossCause): boolean;
  /** Orders that were sent to workers, as JSON. */
  readonly sent: string[];
  /** The highest number of concurrent orders, including those that wait for a worker. */
  readonly mostAtOnce: number;
  readonly cancelled: number;
  /** Process ids of the workers. */
  readonly pids: number[];
  /** Number of processes lost while working on orders. */
  readonly losses: number;
};

export type TestClusterOptions = {
  /** Number of processes. */
  size: number;
  env: Record<string, string>;
  /** Arguments of Node for a worker; by default, one with the operators of the tests. */
  args?: readonly string[];
  /** Changes an order before it is sent; if it returns undefined, the process is killed. */
  change?: (order: unknown) => Promise<unknown>;
  /**
   * Whether its processes have a session of their own, as in a real cluster, so that a busy system gives both sessions the same share.
   */
  isApart?: boolean;
  /** Why to report an order as lost before a process receives it. */
  lose?: (order: unknown) => LossCause | undefined;
};

export const workerArgs = [
  fileURLToPath(builtModule(new URL('../../server/main.ts', import.meta.url))),
  'worker',
  '--stdio',
];
const testWorker = [fileURLToPath(builtModule(new URL('remote-worker.ts', import.meta.url)))];

/** A fake bridge: passes orders to its own worker processes, and reports when one is lost. */
export function startCluster(t: Ending, options: TestClusterOptions): TestCluster {
  const {
    size,
    env,
    args = testWorker,
    change = async (order) => order,
    lose = () => undefined,
    isApart = false,
  } = options;
  const lines = { input: new PassThrough(), output: new PassThrough() };
  const say = createObjectLines(lines.input);
  const workers: Busy[] = [];
  const waiting: { id: string; order: unknown }[] = [];
  const sent: string[] = [];
  const counts = { mostAtOnce: 0, cancelled: 0, losses: 0 };
  let isEnded = false;

  function startWorker(): void {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: isApart,
    });
    const worker: Busy = { child, write: createObjectLines(child.stdin), id: undefined, cause: 'worker' };
    workers.push(worker);
    child.stdin.on('error', () => {});
    child.once('exit', () => {
      workers.splice(workers.indexOf(worker), 1);
      if (isEnded) return;
      const { id, cause } = worker;
      startWorker();
      if (id !== undefined) {
        counts.losses += 1;
        void say({ type: 'lost', id, cause, message: 'it was killed' });
      }
      give();
    });
    void (async () => {
      for await (const object of readObjects(child.stdout)) {
        const { id, answer } = object as { id: string; answer: unknown };
        if (worker.id === id) worker.id = undefined;
        void say({ type: 'answer', id, answer });
        give();
      }
    })();
  }

  function give(): void {
    const busy = workers.filter(({ id }) => id !== undefined).length;
    counts.mostAtOnce = Math.max(counts.mostAtOnce, busy + waiting.length);
    for (const worker of workers) {
      if (worker.id !== undefined) continue;
      const next = waiting.shift();
      if (next === undefined) return;
      worker.id = next.id;
      void send(worker, next);
    }
  }

  async function send(worker: Busy, { id, order }: { id: string; order: unknown }): Promise<void> {
    const cause = lose(order);
    if (cause !== undefined) {
      counts.losses += 1;
      worker.id = undefined;
      void say({ type: 'lost', id, cause, message: 'it was lost' });
      give();
      return;
    }
    const changed = await change(order);
    sent.push(JSON.stringify(changed ?? order));
    if (changed === undefined) worker.child.kill('SIGKILL');
    else await worker.write({ id, order: changed }).catch(() => {});
  }

  async function listen(): Promise<void> {
    for await (const object of readObjects(lines.output)) {
      const message = object as Said;
      if (message.type === 'run') waiting.push({ id: message.id, order: message.order });
      else {
        counts.cancelled += 1;
        const at = waiting.findIndex(({ id }) => id === message.id);
        if (at >= 0) waiting.splice(at, 1);
        const worker = workers.find(({ id }) => id === message.id);
        if (worker !== undefined) {
          worker.id = undefined;
          worker.child.kill('SIGKILL');
        }
      }
      give();
    }
  }

  for (let started = 0; started < size; started += 1) startWorker();
  void listen();
  void say({ type: 'slots', slots: size });
  t.after(async () => {
    isEnded = true;
    await Promise.all(
      workers.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }),
    );
  });
  return {
    lines,
    tellSlots: (slots) => void say({ type: 'slots', slots }),
    loseOne(cause) {
      const busy = workers.find(({ id }) => id !== undefined);
      if (busy === undefined) return false;
      busy.cause = cause;
      return busy.child.kill('SIGKILL');
    },
    sent,
    get mostAtOnce() {
      return counts.mostAtOnce;
    },
    get pids() {
      return workers.flatMap(({ child }) => child.pid ?? []);
    },
    get cancelled() {
      return counts.cancelled;
    },
    get losses() {
      return counts.losses;
    },
  };
}
