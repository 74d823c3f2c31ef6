import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What the module of chardetng-wasm exports, as far as it is used: strings come back as pointer and length behind `result`. */
type Exports = {
  memory: WebAssembly.Memory;
  __wbindgen_add_to_stack_pointer(bytes: number): number;
  __wbindgen_malloc(bytes: number): number;
  __wbindgen_free(pointer: number, bytes: number): void;
  detect(result: number, pointer: number, bytes: number): void;
};

/** The types of Node know only its memory. */
type WebAssemblyApi = {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: unknown };
};

let loaded: Exports | undefined;

/**
 * The encoding that the bytes of a text are most likely in, as a label of the WHATWG Encoding Standard in lower case; by chardetng,
 * Firefox's detector. It answers always, and knows neither UTF-16 without its mark nor bytes that are no text.
 */
export function guessCharset(bytes: Uint8Array): string {
  const wasm = (loaded ??= load());
  const { memory, __wbindgen_add_to_stack_pointer: reserve, __wbindgen_malloc: take, __wbindgen_free: free } = wasm;
  const result = reserve(-16);
  try {
    const pointer = take(bytes.length);
    // The call frees what it is given.
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

/** The package is made for bundlers: Node would load its module with a warning that it is experimental. */
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
