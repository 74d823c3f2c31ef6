import { spawnSync } from 'node:child_process';
import { findTool, type Tool } from './tools.ts';

/** strace, if installed and allowed to trace (some containers forbid it); injects faults into system calls. */
export const strace: Tool = findStrace();

function findStrace(): Tool {
  const found = findTool('strace');
  if (found.path === undefined) return found;
  const mayTrace = spawnSync(found.path, ['-o', '/dev/null', 'true']).status === 0;
  return mayTrace ? found : { name: 'strace', path: undefined, howToGet: 'run where ptrace is allowed' };
}
