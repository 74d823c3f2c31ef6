// Encodes parts of WebAssembly modules: WebAssembly Core Specification 2.0, chapter 5.

export const type = { i32: 0x7f, v128: 0x7b } as const;

type Api = { Module: new (bytes: Uint8Array) => object; Instance: new (module: object) => { exports: unknown } };

/** TypeScript declares this for browsers only. */
const { Module, Instance } = (globalThis as unknown as { WebAssembly: Api }).WebAssembly;

export type CompiledModule = object;

/**
 * Compiles a module with its own memory of `pages` × 64 KiB, which may grow up to 65,536 pages, and one function that takes
 * integers and returns nothing. It exports the function, and the memory as `memory`.
 */
export function compileModule(given: {
  pages: number;
  name: string;
  parameters: number;
  /** Locals beside the parameters, as [number, type]. */
  locals: readonly (readonly [count: number, type: number])[];
  body: readonly number[];
}): CompiledModule {
  const { pages, parameters, locals, body } = given;
  const code = [
    ...unsigned(locals.length),
    ...locals.flatMap(([count, of]) => [...unsigned(count), of]),
    ...body,
    0x0b,
  ];
  const bytes = [
    ...header,
    ...section(1, [1, 0x60, ...unsigned(parameters), ...Array<number>(parameters).fill(type.i32), 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x00, ...unsigned(pages)]),
    ...section(7, [2, ...name('memory'), 2, 0, ...name(given.name), 0, 0]),
    ...section(10, [1, ...sized(code)]),
  ];
  return new Module(new Uint8Array(bytes));
}

/** The exports of a new instance of a module, with a memory of its own. */
export function instantiate(module: CompiledModule): unknown {
  return new Instance(module).exports;
}

export function get(local: number): number[] {
  return [0x20, local];
}

export function set(local: number): number[] {
  return [0x21, local];
}

export function constant(value: number): number[] {
  return [0x41, ...signed(value)];
}

export const addIntegers = [0x6a];

/** Adds `by` to a local. */
export function step(local: number, by: number): number[] {
  return [...get(local), ...constant(by), ...addIntegers, ...set(local)];
}

export function loop(code: readonly number[]): number[] {
  return [0x03, 0x40, ...code, 0x0b];
}

/** Ends the code of a loop. */
export function repeatWhileBelow(local: number, end: number): number[] {
  return [...get(local), ...get(end), 0x49, 0x0d, 0];
}

/** Loads an integer from the address on the stack. */
export function integerLoad(offset: number): number[] {
  return [0x28, 2, ...unsigned(offset)];
}

export function vectorLoad(offset: number): number[] {
  return [0xfd, 0x00, 4, ...unsigned(offset)];
}

export function vectorStore(offset: number): number[] {
  return [0xfd, 0x0b, 4, ...unsigned(offset)];
}

/** A vector instruction by its opcode. */
export function vector(instruction: number): number[] {
  return [0xfd, ...unsigned(instruction)];
}

const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)];
}

function sized(content: readonly number[]): number[] {
  return [...unsigned(content.length), ...content];
}

function name(text: string): number[] {
  return sized([...text].map((letter) => letter.charCodeAt(0)));
}

/** Unsigned LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Signed LEB128 of a non-negative number. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
