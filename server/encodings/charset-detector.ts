import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The exports of chardetng-wasm's module that are used: strings are returned as pointer and length at `result`. */
type Exports = {
  memory: WebAssembly.Memory;
  __wbindgen_add_to_stack_pointer(bytes: number): number;
  __wbindgen_malloc(bytes: number): number;
  __wbindgen_free(pointer: number, bytes: number): void;
  detect(result: number, pointer: number, bytes: number): void;
};

/** Node's types declare only its memory. */
type WebAssemblyApi = {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: unknown };
};

let loaded: Exports | undefined;

/**
 * The most likely encoding of a text's bytes, as a lower-case label of the WHATWG Encoding Standard; by chardetng,
 * Firefox's detector. It always returns an encoding, even for binary data, and does not detect UTF-16 without a byte
 * order mark.
 */
export function guessCharset(bytes: Uint8Array): string {
  const wasm = (loaded ??= load());
  const { memory, __wbindgen_add_to_stack_pointer: reserve, __wbindgen_malloc: take, __wbindgen_free: free } = wasm;
  const result = reserve(-16);
  try {
    const pointer = take(bytes.length);
    // The call frees its argument.
    new Uint8Array(memory.buffer, pointer, bytes.length).set(bytes);
    wasm.detect(result, pointer, bytes.length);
    const [at = 0, length = 0] = new Int32Array(memory.buffer, result, 2);
    const label = Buffer.from(memory.buffer, at, length).toString('latin1').toLowerCase();
    free(at, length);
    return label;
  } finally {
    reserve(16);
  }
}

/**
 * The package is made for bundlers: importing its module in Node would print a warning about an experimental feature.
 */
function load(): Exports {
  const path = createRequire(import.meta.url).resolve('chardetng-wasm/dist/chardetng_wasm_bg.wasm');
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
  const imports = {
    './chardetng_wasm_bg.js': {
      __wbindgen_throw() {
        throw new Error('The detector of encodings failed');
      },
    },
  };
  return new Instance(new Module(readFileSync(path)), imports).exports as Exports;
}
