const pageBytes = 65_536;
const maxTableEntries = 100_000;

/** A WebAssembly module that can not be used; the message says why. */
export class WasmRefused extends Error {
  override readonly name = 'WasmRefused';
}

type Section = { id: number; start: number; end: number };

/**
 * The module with a maximum for its memory and its tables, so that they can not grow without bound. Refuses imports, shared
 * and 64-bit memories, and more than one memory. (WebAssembly Core Specification, 5.5: sections of a module.)
 */
export function capWasm(bytes: Uint8Array, memoryMb: number): Uint8Array<ArrayBuffer> {
  if (bytes.length < 8 || Buffer.from(bytes.subarray(0, 8)).toString('hex') !== '0061736d01000000') {
    throw new WasmRefused('It is no WebAssembly module of version 1');
  }
  const parts: Uint8Array[] = [bytes.subarray(0, 8)];
  let memories = 0;
  for (const { id, start, end } of sectionsOf(bytes)) {
    const content = bytes.subarray(start, end);
    if (id === 2 && readUnsigned(content, 0).value > 0) throw new WasmRefused('It has imports');
    if (id === 5) memories += readUnsigned(content, 0).value;
    const maxPages = Math.floor((memoryMb << 20) / pageBytes);
    const capped = id === 5 ? capMemory(content, maxPages) : id === 4 ? capTables(content) : content;
    parts.push(Uint8Array.of(id), unsigned(capped.length), capped);
  }
  if (memories !== 1) throw new WasmRefused('It must have one memory of its own');
  return Uint8Array.from(Buffer.concat(parts));
}

function sectionsOf(bytes: Uint8Array): Section[] {
  const sections: Section[] = [];
  for (let at = 8; at < bytes.length;) {
    const id = bytes[at] ?? 0;
    const { value: length, next } = readUnsigned(bytes, at + 1);
    if (next + length > bytes.length) throw new WasmRefused('It is cut off');
    sections.push({ id, start: next, end: next + length });
    at = next + length;
  }
  return sections;
}

function capMemory(content: Uint8Array, maxPages: number): Uint8Array {
  const { value: count, next } = readUnsigned(content, 0);
  if (count !== 1) throw new WasmRefused('It must have one memory of its own');
  const { capped } = capLimits(content, next, maxPages, 'memory');
  return Buffer.concat([Uint8Array.of(1), capped]);
}

function capTables(content: Uint8Array): Uint8Array {
  const { value: count, next } = readUnsigned(content, 0);
  const parts: Uint8Array[] = [unsigned(count)];
  let at = next;
  for (let table = 0; table < count; table += 1) {
    const type = content[at];
    if (type !== 0x70 && type !== 0x6f) throw new WasmRefused('It has a table of a kind that is not supported');
    const { capped, end } = capLimits(content, at + 1, maxTableEntries, 'table');
    parts.push(Uint8Array.of(type), capped);
    at = end;
  }
  return Buffer.concat(parts);
}

/** Limits with a maximum of at most `most`. */
function capLimits(
  content: Uint8Array,
  start: number,
  most: number,
  what: string,
): { capped: Uint8Array; end: number } {
  const flags = content[start] ?? 0;
  if (flags > 1) throw new WasmRefused(`Its ${what} is shared or 64-bit`);
  const least = readUnsigned(content, start + 1);
  const declared = flags === 1 ? readUnsigned(content, least.next) : { value: most, next: least.next };
  if (least.value > most) throw new WasmRefused(`Its ${what} begins larger than is allowed`);
  const maximum = Math.min(most, declared.value);
  return { capped: Buffer.concat([Uint8Array.of(1), unsigned(least.value), unsigned(maximum)]), end: declared.next };
}

/** An unsigned LEB128 number of at most 32 bits. */
function readUnsigned(bytes: Uint8Array, start: number): { value: number; next: number } {
  let value = 0;
  for (let at = start, factor = 1; at < start + 5; at += 1, factor *= 128) {
    const byte = bytes[at];
    if (byte === undefined) throw new WasmRefused('It is cut off');
    value += (byte & 0x7f) * factor;
    if (byte < 128) return { value, next: at + 1 };
  }
  throw new WasmRefused('It has a number that is too long');
}

function unsigned(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    const byte = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? byte | 0x80 : byte);
  } while (rest > 0);
  return Uint8Array.from(bytes);
}
