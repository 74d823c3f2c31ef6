import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Requests per second from 32 connections on the second core; throws unless every call succeeds. */
export async function requestRate(url: string, headerArgs: readonly string[], seconds: number): Promise<number> {
  const args = ['-c', '1', 'wrk', '-t1', '-c32', `-d${seconds}s`, ...headerArgs, url];
  const { stdout } = await execute('taskset', args);
  if (stdout.includes('Non-2xx')) throw new Error(`Not every call succeeded: ${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
