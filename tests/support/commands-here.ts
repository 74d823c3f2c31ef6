import { AsyncLocalStorage } from 'node:async_hooks';
import { runCommandLine, printProblem } from '../../server/command-line.ts';

export type CommandOutcome = { code: number; stdout: string; stderr: string };

const captured = new AsyncLocalStorage<{ stdout: string; stderr: string }>();
let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of the service in this process, in a tenth of the time of a new process; `runCommand` starts one. Only for commands
 * that end by themselves and read no input. Commands run one after the other, because they set the exit code of the process.
 */
export function runCommandHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandOutcome> {
  const next = turn.then(() => perform(args, env));
  turn = next.catch(() => {});
  return next;
}

async function perform(args: readonly string[], env: Readonly<Record<string, string>>): Promise<CommandOutcome> {
  const output = { stdout: '', stderr: '' };
  const release = [capture(process.stdout, 'stdout'), capture(process.stderr, 'stderr')];
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await captured.run(output, async () => {
      try {
        await runCommandLine(args, { env, version: '0.0.0-test' });
      } catch (error) {
        printProblem(error);
      }
    });
    return { code: exitCode(), ...output };
  } finally {
    process.exitCode = before;
    for (const end of release) end();
  }
}

const exitCode = (): number => Number(process.exitCode ?? 0);

/** Captures what the command writes; other output of this process, such as the test reporter's, is written as usual. */
function capture(stream: NodeJS.WriteStream, name: 'stdout' | 'stderr'): () => void {
  const write = stream.write;
  stream.write = (...given: unknown[]): boolean => {
    const output = captured.getStore();
    if (output === undefined) return Reflect.apply(write, stream, given) as boolean;
    const [bytes] = given;
    output[name] += typeof bytes === 'string' ? bytes : Buffer.from(bytes as Uint8Array).toString();
    const written = given.at(-1);
    if (typeof written === 'function') queueMicrotask(() => written());
    return true;
  };
  return () => {
    stream.write = write;
  };
}
