import { spawnSync } from 'node:child_process';
import { findTool, type Tool } from './tools.ts';

/** strace where it is installed and may trace (some containers forbid it): faults are injected into system calls by it. */
export const strace: Tool = findStrace();

function findStrace(): Tool {
  const found = findTool('strace');
  if (found.path === undefined) return found;
  const mayTrace = spawnSync(found.path, ['-o', '/dev/null', 'true']).status === 0;
  return mayTrace ? found : { name: 'strace', path: undefined, howToGet: 'run where ptrace is allowed' };
}
