// Writes operator.wasm, instruction by instruction (WebAssembly Core Specification, chapter 5).
import { writeFileSync } from 'node:fs';

const i32 = 0x7f;
const i64 = 0x7e;
const none = 0x40;
const op = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  get: 0x20,
  set: 0x21,
  tee: 0x22,
  load8: [0x2d, 0, 0],
  store8: [0x3a, 0, 0],
  memorySize: [0x3f, 0],
  memoryGrow: [0x40, 0],
  const: 0x41,
  const64: 0x42,
  eq: 0x46,
  ltUnsigned: 0x49,
  gtSigned: 0x4a,
  geUnsigned: 0x4f,
  add: 0x6a,
  sub: 0x6b,
  shiftRight: 0x76,
  extend: 0xad,
  or64: 0x84,
  shiftLeft64: 0x86,
};

/** Signed LEB128. */
function number(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const byte = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0)) return [...bytes, byte];
    bytes.push(byte | 0x80);
  }
}

const length = (bytes: readonly number[]): number[] => {
  const out: number[] = [];
  for (let rest = bytes.length; ;) {
    const byte = rest & 0x7f;
    rest >>>= 7;
    out.push(rest > 0 ? byte | 0x80 : byte);
    if (rest === 0) return out;
  }
};
const sized = (bytes: readonly number[]): number[] => [...length(bytes), ...bytes];
const section = (id: number, bytes: readonly number[]): number[] => [id, ...sized(bytes)];
const name = (text: string): number[] => sized([...Buffer.from(text)]);
const constant = (value: number): number[] => [op.const, ...number(value)];
const get = (local: number): number[] => [op.get, local];

/** Where the input begins. */
const heap = 1024;
/** `{"params":{},"sample":` */
const prefix = 22;

// alloc(length): the memory grows to hold the input, which always begins at the same place.
const alloc = [
  ...constant(heap + 0xffff),
  ...get(0),
  op.add,
  ...constant(16),
  op.shiftRight,
  ...op.memorySize,
  op.sub,
  op.tee,
  1,
  ...constant(0),
  op.gtSigned,
  op.if,
  none,
  ...get(1),
  ...op.memoryGrow,
  ...constant(-1),
  op.eq,
  op.if,
  none,
  op.unreachable,
  op.end,
  op.end,
  ...constant(heap),
  op.end,
];

// each(pointer, length): locals 2 = at, 3 = end, 4 = byte.
const each = [
  ...get(0),
  ...constant(prefix),
  op.add,
  op.set,
  2,
  ...get(0),
  ...get(1),
  op.add,
  ...constant(1),
  op.sub,
  op.set,
  3,
  op.block,
  none,
  op.loop,
  none,
  ...get(2),
  ...get(3),
  op.geUnsigned,
  op.brIf,
  1,
  ...get(2),
  ...op.load8,
  op.set,
  4,
  ...get(4),
  ...constant('\\'.charCodeAt(0)),
  op.eq,
  op.if,
  none,
  // An escape: six characters with `u`, else two.
  ...get(2),
  ...constant(1),
  op.add,
  ...op.load8,
  ...constant('u'.charCodeAt(0)),
  op.eq,
  op.if,
  i32,
  ...constant(6),
  op.else,
  ...constant(2),
  op.end,
  ...get(2),
  op.add,
  op.set,
  2,
  op.else,
  ...get(4),
  ...constant('0'.charCodeAt(0)),
  op.sub,
  ...constant(10),
  op.ltUnsigned,
  op.if,
  none,
  ...get(2),
  ...constant('#'.charCodeAt(0)),
  ...op.store8,
  op.end,
  ...get(2),
  ...constant(1),
  op.add,
  op.set,
  2,
  op.end,
  op.br,
  0,
  op.end,
  op.end,
  ...get(0),
  ...constant(prefix),
  op.add,
  op.extend,
  op.const64,
  ...number(32),
  op.shiftLeft64,
  ...get(1),
  ...constant(prefix + 1),
  op.sub,
  op.extend,
  op.or64,
  op.end,
];

const module = [
  0x00,
  0x61,
  0x73,
  0x6d,
  1,
  0,
  0,
  0,
  ...section(1, [2, 0x60, 1, i32, 1, i32, 0x60, 2, i32, i32, 1, i64]),
  ...section(3, [2, 0, 1]),
  ...section(5, [1, 0, 1]),
  ...section(7, [3, ...name('memory'), 2, 0, ...name('alloc'), 0, 0, ...name('each'), 0, 1]),
  ...section(10, [2, ...sized([1, 1, i32, ...alloc]), ...sized([1, 3, i32, ...each])]),
];
writeFileSync(new URL('operator.wasm', import.meta.url), Uint8Array.from(module));
