const pageBytes = 65_536;
const maxTableEntries = 100_000;
const maxTables = 8;

/** Section identifiers (5.5.2). Others are refused: tags of exceptions, and additions of later versions. */
const sections = { custom: 0, type: 1, import: 2, table: 4, memory: 5, last: 12 } as const;
const functionType = 0x60;
/** Numbers, vectors, and references to functions and host values: nothing that V8 stores in the heap of the process. */
const valueTypes: ReadonlySet<number | undefined> = new Set([0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f]);

/** A WebAssembly module that can not be used; the message says why. */
export class WasmRefused extends Error {
  override readonly name = 'WasmRefused';
}

type Section = { id: number; start: number; end: number };

/**
 * Returns the module with maximum sizes for its memory and tables, so that they can not grow without bound, and without
 * custom sections. Refuses imports, structs and arrays (their memory can not be limited), exceptions, shared and 64-bit
 * memories, more than one memory, and many tables. (WebAssembly Core Specification, 5.3 and 5.5: types and sections of
 * a module.)
 */
export function capWasm(bytes: Uint8Array, memoryMb: number): Uint8Array<ArrayBuffer> {
  if (bytes.length < 8 || Buffer.from(bytes.subarray(0, 8)).toString('hex') !== '0061736d01000000') {
    throw new WasmRefused('It is no WebAssembly module of version 1');
  }
  const parts: Uint8Array[] = [bytes.subarray(0, 8)];
  let memories = 0;
  for (const { id, start, end } of sectionsOf(bytes)) {
    const content = bytes.subarray(start, end);
    if (id === sections.custom) continue;
    if (id > sections.last) throw new WasmRefused('It has a part of a kind that is not supported, such as exceptions');
    if (id === sections.import && readUnsigned(content, 0).value > 0) throw new WasmRefused('It has imports');
    if (id === sections.type) checkTypes(content);
    if (id === sections.memory) memories += readUnsigned(content, 0).value;
    const maxPages = Math.floor((memoryMb << 20) / pageBytes);
    const capped =
      id === sections.memory ? capMemory(content, maxPages) : id === sections.table ? capTables(content) : content;
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

/** Refuses all types except functions over plain values. */
function checkTypes(content: Uint8Array): void {
  const { value: count, next } = readUnsigned(content, 0);
  let at = next;
  for (let type = 0; type < count; type += 1) {
    if (content[at] !== functionType)
      throw new WasmRefused('It has types of a kind that is not supported, such as structs and arrays');
    at += 1;
    // Parameters, then results.
    for (let list = 0; list < 2; list += 1) {
      const { value: length, next: first } = readUnsigned(content, at);
      if (first + length > content.length) throw new WasmRefused('It is cut off');
      for (at = first; at < first + length; at += 1)
        if (!valueTypes.has(content[at])) throw new WasmRefused('It has values of a kind that is not supported');
    }
  }
}

function capMemory(content: Uint8Array, maxPages: number): Uint8Array {
  const { value: count, next } = readUnsigned(content, 0);
  if (count !== 1) throw new WasmRefused('It must have one memory of its own');
  const { capped } = capLimits(content, next, maxPages, 'memory');
  return Buffer.concat([Uint8Array.of(1), capped]);
}

function capTables(content: Uint8Array): Uint8Array {
  const { value: count, next } = readUnsigned(content, 0);
  if (count > maxTables) throw new WasmRefused(`It has more than ${maxTables} tables`);
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

/** Memory or table limits with a maximum of at most `most`. */
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
