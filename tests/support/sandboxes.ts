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

/** For code that would run forever: less CPU time. */
export const briefLimits: SandboxLimits = { ...testLimits, cpuMs: 200 };

/** The code of an operator in JavaScript. */
export function codeOf(source: string): OperatorCode {
  return { kind: 'js', bytes: new TextEncoder().encode(source) };
}

/** The parts of a module besides its functions `alloc` and `each`. */
export type WasmParts = {
  /** Entries of the type section, after those of the functions. */
  types?: readonly (readonly number[])[];
  /** The content of the memory section. */
  memory?: readonly number[];
  /** Other sections, placed between those of functions and of memories; the tag section is placed after memories. */
  sections?: readonly (readonly [id: number, content: readonly number[]])[];
  custom?: readonly number[];
};

/** The body of an `each` that returns its input. */
export const wasmEcho = [0x20, 0, 0xad, 0x42, 0x20, 0x86, 0x20, 1, 0xad, 0x84];
/** The body of an `each` that never ends. */
export const wasmLoop = [0x03, 0x40, 0x0c, 0, 0x0b, 0x00];

/** A module whose `each` has this body; its memory is one page, and its `alloc` returns 1024. */
export function wasmOf(each: readonly number[], parts: WasmParts = {}): OperatorCode {
  const { types = [], memory = [1, 0, 1], sections = [], custom } = parts;
  const body = [0, ...each, 0x0b];
  const name = (text: string): number[] => [text.length, ...Buffer.from(text)];
  const section = (id: number, bytes: readonly number[]): number[] => [id, bytes.length, ...bytes];
  const functions = [
    [0x60, 1, 0x7f, 1, 0x7f],
    [0x60, 2, 0x7f, 0x7f, 1, 0x7e],
  ];
  const ofId = (wanted: (id: number) => boolean): number[] =>
    sections.filter(([id]) => wanted(id)).flatMap(([id, content]) => section(id, content));
  const bytes = [
    ...Buffer.from('0061736d01000000', 'hex'),
    ...section(1, [functions.length + types.length, ...[...functions, ...types].flat()]),
    ...section(3, [2, 0, 1]),
    ...ofId((id) => id < 5),
    ...section(5, memory),
    ...ofId((id) => id > 5),
    ...section(7, [3, ...name('memory'), 2, 0, ...name('alloc'), 0, 0, ...name('each'), 0, 1]),
    ...section(10, [2, 5, 0, 0x41, 0x80, 0x08, 0x0b, body.length, ...body]),
    ...(custom === undefined ? [] : section(0, custom)),
  ];
  return { kind: 'wasm', bytes: Uint8Array.from(bytes) };
}

/** The lanes available on this machine. */
export function workingLanes(): LaneName[] {
  return checkLane().lane === 'FAST' ? ['SAFE', 'FAST'] : ['SAFE'];
}

/**
 * Registers a test in one of the lanes, chosen by its name: of many tests, each lane gets half. `npm run test:long` runs it in
 * both.
 */
export function forAnyLane(name: string, run: (sandbox: Sandbox) => void, limits = testLimits): void {
  const half: LaneName[] = [checkLane().lane === 'FAST' && crc32(name) % 2 === 0 ? 'FAST' : 'SAFE'];
  forEachLane(name, run, isLongRun ? undefined : half, limits);
}

/** The default lane of users; `npm run test:long` tests all available lanes. */
export function testedLanes(): LaneName[] {
  return isLongRun ? workingLanes() : workingLanes().slice(-1);
}

const opened = new Map<string, Sandbox>();

/** Tests share a sandbox, as the operators of a run do. */
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

/** Registers one test per lane: lanes confine code by different means. Skips the fast lane if it is not available. */
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
