import { capWasm } from './wasm-module.ts';

/** An operator of WebAssembly, prepared: passes a batch of samples through it. */
export type WasmOperator = {
  /** From and to JSON, as the guest of JavaScript does: see `guest.ts`. */
  run(batch: string): string;
  /** Bytes of its memory. */
  readonly memoryBytes: number;
};

type WasmExports = {
  memory: WebAssembly.Memory;
  alloc: (length: number) => number;
  each: (pointer: number, length: number) => bigint;
};

/** More than one sample may hold, and less than memory has. */
const maxAnswerBytes = 64 << 20;

/**
 * Instantiates the module without imports. It is called with UTF-8 JSON `{params, sample}` at the place that its `alloc`
 * answered, and answers with pointer << 32 | length of UTF-8 JSON of the outcome; a trap fails the sample.
 */
export function openWasmOperator(bytes: Uint8Array, params: string, memoryMb: number): WasmOperator {
  const module = new WebAssembly.Module(capWasm(bytes, memoryMb));
  const instantiate = (): WasmExports => checkedExports(new WebAssembly.Instance(module, {}).exports);
  let exports = instantiate();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  function answerOf(given: unknown): string {
    const sample = typeof given === 'string' ? { text: given } : given;
    const { memory, alloc, each } = exports;
    const input = encoder.encode(`{"params":${params},"sample":${JSON.stringify(sample)}}`);
    const place = alloc(input.length) >>> 0;
    if (place + input.length > memory.buffer.byteLength)
      throw new RangeError('its alloc answered with a place outside of its memory');
    new Uint8Array(memory.buffer).set(input, place);
    const packed = BigInt.asUintN(64, each(place, input.length));
    const start = Number(packed >> 32n);
    const length = Number(packed & 0xffffffffn);
    if (length > maxAnswerBytes || start + length > memory.buffer.byteLength) {
      throw new RangeError('it answered with a place outside of its memory');
    }
    const text = decoder.decode(new Uint8Array(memory.buffer, start, length));
    const outcome = JSON.parse(text) as unknown;
    return isSame(outcome, sample) ? '[0]' : `[1,${text}]`;
  }

  return {
    get memoryBytes() {
      return exports.memory.buffer.byteLength;
    },
    run(batch) {
      const answers = (JSON.parse(batch) as unknown[]).map((given) => {
        try {
          return answerOf(given);
        } catch (error) {
          // A trap leaves its memory and its stack as they were in the middle of the call.
          exports = instantiate();
          return `[2,${JSON.stringify(problemOf(error))}]`;
        }
      });
      return `[${answers.join(',')}]`;
    },
  };
}

function checkedExports(exports: WebAssembly.Exports): WasmExports {
  const { memory, alloc, each } = exports;
  if (!(memory instanceof WebAssembly.Memory)) throw new TypeError('It exports no `memory`');
  if (typeof alloc !== 'function') throw new TypeError('It exports no function `alloc`');
  if (typeof each !== 'function') throw new TypeError('It exports no function `each`');
  return { memory, alloc: alloc as WasmExports['alloc'], each: each as WasmExports['each'] };
}

/** Whether an outcome is a sample with the same text and nothing else. */
function isSame(outcome: unknown, sample: unknown): boolean {
  if (typeof outcome !== 'object' || outcome === null || Array.isArray(outcome)) return false;
  const names = Object.keys(outcome);
  const { text } = outcome as { text?: unknown };
  return names.length === 1 && typeof text === 'string' && text === (sample as { text?: unknown }).text;
}

function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes('call stack')) return '\u0000stack';
  return message.slice(0, 500);
}
