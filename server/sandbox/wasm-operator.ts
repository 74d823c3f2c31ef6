import { isAscii, type PackedTexts } from './packing.ts';
import { capWasm } from './wasm-module.ts';

/** A prepared WebAssembly operator. */
export type WasmOperator = {
  /** Runs a batch of samples, like the JavaScript guest: see `guest.ts`. */
  run(batch: PackedTexts): PackedTexts;
  /** Size of its memory in bytes. */
  readonly memoryBytes: number;
};

type WasmExports = {
  memory: WebAssembly.Memory;
  alloc: (length: number) => number;
  each: (pointer: number, length: number) => bigint;
};

/** More than one sample may have, and less than the memory. */
const maxAnswerBytes = 64 << 20;

/**
 * Instantiates the module without imports. It receives UTF-8 JSON `{params, sample}` at the address that its `alloc`
 * returned, and returns pointer << 32 | length of the outcome as UTF-8 JSON; a trap fails the sample.
 */
export function openWasmOperator(bytes: Uint8Array, params: string, memoryMb: number): WasmOperator {
  const module = new WebAssembly.Module(capWasm(bytes, memoryMb));
  const instantiate = (): WasmExports => checkedExports(new WebAssembly.Instance(module, {}).exports);
  let exports = instantiate();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  const prefix = encoder.encode(`{"params":${params},"sample":`);

  /** Calls the operator with the JSON of a sample; returns the JSON of an outcome. */
  function call(sample: string): string {
    const { memory, alloc, each } = exports;
    const body = encoder.encode(`${sample}}`);
    const length = prefix.length + body.length;
    const place = alloc(length) >>> 0;
    if (place + length > memory.buffer.byteLength)
      throw new RangeError('its alloc answered with a place outside of its memory');
    const target = new Uint8Array(memory.buffer);
    target.set(prefix, place);
    target.set(body, place + prefix.length);
    const packed = BigInt.asUintN(64, each(place, length));
    const start = Number(packed >> 32n);
    const answered = Number(packed & 0xffffffffn);
    if (answered > maxAnswerBytes || start + answered > memory.buffer.byteLength) {
      throw new RangeError('it answered with a place outside of its memory');
    }
    return decoder.decode(new Uint8Array(memory.buffer, start, answered));
  }

  return {
    get memoryBytes() {
      return exports.memory.buffer.byteLength;
    },
    run({ head, narrow, wide }) {
      const answers = { narrow: [] as string[], wide: [] as string[] };
      let narrowAt = 0;
      let wideAt = 0;
      const entries = (JSON.parse(head) as number[]).map((form) => {
        const length = Math.floor(form / 4);
        const given =
          form % 2 === 1 ? wide.slice(wideAt, (wideAt += length)) : narrow.slice(narrowAt, (narrowAt += length));
        try {
          const isText = form % 4 < 2;
          const json = call(isText ? `{"text":${JSON.stringify(given)}}` : given);
          const outcome = JSON.parse(json) as unknown;
          const text = textAlone(outcome);
          if (text === undefined) return `[1,${json}]`;
          if (isText ? text === given : isSame(text, given)) return '0';
          const isNarrow = isAscii(text);
          (isNarrow ? answers.narrow : answers.wide).push(text);
          return String(1 + 2 * text.length + (isNarrow ? 0 : 1));
        } catch (error) {
          // A trap leaves memory and stack in an intermediate state.
          exports = instantiate();
          return `[2,${JSON.stringify(problemOf(error))}]`;
        }
      });
      return { head: `[${entries.join(',')}]`, narrow: answers.narrow.join(''), wide: answers.wide.join('') };
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

/** The text of an outcome that only has a text. */
function textAlone(outcome: unknown): string | undefined {
  if (typeof outcome !== 'object' || outcome === null || Array.isArray(outcome)) return undefined;
  const { text, ...others } = outcome as { text?: unknown };
  return typeof text === 'string' && Object.keys(others).length === 0 ? text : undefined;
}

/** Whether a text equals that of a sample in JSON. */
function isSame(text: string, sample: string): boolean {
  return (JSON.parse(sample) as { text?: unknown }).text === text;
}

function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes('call stack')) return '\u0000stack';
  return message.slice(0, 500);
}
