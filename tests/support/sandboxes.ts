import { after, test } from 'node:test';
import {
  checkLane,
  createSandbox,
  type LaneName,
  type OperatorCode,
  type Sandbox,
} from '../../server/sandbox/index.ts';

/** Small limits, so that attacks end soon. */
export const testLimits = { cpuMs: 500, memoryMb: 64, resultBytes: 1 << 20, idleMs: 30_000 };

/** The code of an operator in JavaScript. */
export function codeOf(source: string): OperatorCode {
  return { kind: 'js', bytes: new TextEncoder().encode(source) };
}

/** The lanes that work on this machine. */
export function workingLanes(): LaneName[] {
  return checkLane().lane === 'FAST' ? ['SAFE', 'FAST'] : ['SAFE'];
}

const opened = new Map<LaneName, Sandbox>();
after(() => {
  for (const sandbox of opened.values()) sandbox.close();
});

/** The tests of a file share a sandbox, as operators of a run do. */
function sandboxOf(lane: LaneName): Sandbox {
  const sandbox = opened.get(lane) ?? createSandbox({ lane, limits: testLimits });
  opened.set(lane, sandbox);
  return sandbox;
}

/** Registers one test per lane that works here; the fast lane is skipped elsewhere and says why. */
export function forEachLane(name: string, run: (sandbox: Sandbox) => void): void {
  const checked = checkLane();
  for (const lane of ['SAFE', 'FAST'] as const) {
    const skip = lane === 'FAST' && checked.lane === 'SAFE' ? checked.why : false;
    test(`${name} [${lane}]`, { skip }, () => run(sandboxOf(lane)));
  }
}
