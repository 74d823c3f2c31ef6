import { spawn } from 'node:child_process';

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a Node script on this terminal and returns its exit code; a script killed by a signal counts as failed. */
export function runNode(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit', env });
    const forward = (signal: NodeJS.Signals) => {
      child.kill(signal);
    };
    for (const signal of forwarded) process.on(signal, forward);
    child.once('error', reject);
    child.once('exit', (code) => {
      for (const signal of forwarded) process.off(signal, forward);
      resolve(code ?? 1);
    });
  });
}
