import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import {
  checkLane,
  createSandbox,
  type LaneName,
  type OperatorCode,
  type Sandbox,
  type SandboxLimits,
} from '../../server/sandbox/index.ts';
import { isLongRun } from './long-tests.ts';
import { atProcessEnd } from './process-end.ts';

/** Small limits, so that attacks end soon. */
export const testLimits: SandboxLimits = { cpuMs: 500, memoryMb: 64, resultBytes: 1 << 20, idleMs: 30_000 };

/** For code that needs time without end: it has less of it. */
export const briefLimits: SandboxLimits = { ...testLimits, cpuMs: 200 };

/** The code of an operator in JavaScript. */
export function codeOf(source: string): OperatorCode {
  return { kind: 'js', bytes: new TextEncoder().encode(source) };
}

/** The lanes that work on this machine. */
export function workingLanes(): LaneName[] {
  return checkLane().lane === 'FAST' ? ['SAFE', 'FAST'] : ['SAFE'];
}

/** Registers a test in one of the lanes, by its name: of many tests, each lane has half. `npm run test:long` runs it in both. */
export function forAnyLane(name: string, run: (sandbox: Sandbox) => void, limits = testLimits): void {
  const half: LaneName[] = [checkLane().lane === 'FAST' && crc32(name) % 2 === 0 ? 'FAST' : 'SAFE'];
  forEachLane(name, run, isLongRun ? undefined : half, limits);
}

/** The lane that people get, unless they choose another; `npm run test:long` tests all that work. */
export function testedLanes(): LaneName[] {
  return isLongRun ? workingLanes() : workingLanes().slice(-1);
}

const opened = new Map<string, Sandbox>();

/** Tests share a sandbox, as operators of a run do. */
function sandboxOf(lane: LaneName, limits: SandboxLimits): Sandbox {
  const key = `${lane} ${limits.cpuMs}`;
  const known = opened.get(key);
  if (known !== undefined) return known;
  const sandbox = createSandbox({ lane, limits });
  opened.set(key, sandbox);
  atProcessEnd(() => {
    sandbox.close();
  });
  return sandbox;
}

/** Registers one test per lane: they hold code by different means. The fast lane is skipped where it does not work, and says why. */
export function forEachLane(
  name: string,
  run: (sandbox: Sandbox) => void,
  lanes: readonly LaneName[] = ['SAFE', 'FAST'],
  limits = testLimits,
): void {
  const checked = checkLane();
  for (const lane of lanes) {
    const skip = lane === 'FAST' && checked.lane === 'SAFE' ? checked.why : false;
    test(`${name} [${lane}]`, { skip }, () => run(sandboxOf(lane, limits)));
  }
}
