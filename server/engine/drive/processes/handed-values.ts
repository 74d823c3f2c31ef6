import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { DefaultSerializer, Deserializer } from 'node:v8';

/**
 * A value on its way to another process of this machine: its structure and the bytes of its views one after the other,
 * in the message itself if they are few, otherwise in a file that both processes know.
 */
export type HandedValue = { sizes: number[]; bytes: Uint8Array | undefined };

/** Larger values go through the file: a pipe takes 64 KiB at a time, and each end copies them once more. */
const inlineBytes = 256 << 10;
/** A file that was larger gives its space back. */
const keptBytes = 16 << 20;

const viewTypes = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const;

/** Writes the structure of a value; its views become numbers of parts. */
class StructureWriter extends DefaultSerializer {
  readonly parts: Uint8Array[] = [];

  _writeHostObject(value: object): void {
    const view = value as Uint8Array;
    // A Buffer becomes a Uint8Array, as in a message between threads.
    const type = viewTypes.findIndex((one) => view instanceof one);
    if (type === -1) throw new TypeError('Only typed arrays are handed to another process');
    this.writeUint32(type);
    this.writeUint32(this.parts.push(new Uint8Array(view.buffer, view.byteOffset, view.byteLength)));
  }
}

class StructureReader extends Deserializer {
  readonly #parts: readonly Uint8Array[];

  constructor(parts: readonly Uint8Array[]) {
    super(parts[0] ?? new Uint8Array());
    this.#parts = parts;
  }

  _readHostObject(): object {
    // They differ in their elements only.
    const View = viewTypes[this.readUint32()] as Uint8ArrayConstructor | undefined;
    const part = this.#parts[this.readUint32()];
    if (View === undefined || part === undefined) throw new RangeError('A part of a handed value is missing');
    return new View(part.buffer, part.byteOffset, part.byteLength / View.BYTES_PER_ELEMENT);
  }
}

/** Prepares a value for another process; `path` names the file for large ones, which the next value overwrites. */
export async function handOver(value: unknown, path: string): Promise<HandedValue> {
  const writer = new StructureWriter();
  writer.writeHeader();
  writer.writeValue(value);
  const parts = [writer.releaseBuffer(), ...writer.parts];
  const sizes = parts.map(({ byteLength }) => byteLength);
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  // A full disk must not fail what does not need it: the bytes then go with the message.
  const isInFile = totalBytes > inlineBytes && (await writeParts(parts, path).catch(() => false));
  return { sizes, bytes: isInFile ? undefined : Buffer.concat(parts, totalBytes) };
}

/** The file keeps its bytes, which are cheaper to overwrite than to erase and write. */
async function writeParts(parts: readonly Uint8Array[], path: string): Promise<true> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    let position = 0;
    for (const part of parts) {
      for (let at = 0; at < part.length;) {
        const { bytesWritten } = await file.write(part, at, part.length - at, position);
        at += bytesWritten;
        position += bytesWritten;
      }
    }
    return true;
  } finally {
    await file.close();
  }
}

/**
 * The value that another process handed over. `place` gives the memory for each of its parts, whose start must be a
 * multiple of 8.
 */
export async function takeOver(
  { sizes, bytes }: HandedValue,
  path: string,
  place: (sizeBytes: number) => Uint8Array,
): Promise<unknown> {
  const parts = sizes.map(place);
  if (bytes === undefined) await readParts(parts, path);
  else {
    let at = 0;
    for (const part of parts) part.set(bytes.subarray(at, (at += part.length)));
  }
  const reader = new StructureReader(parts);
  reader.readHeader();
  return reader.readValue();
}

async function readParts(parts: readonly Uint8Array[], path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    let position = 0;
    for (const part of parts) {
      for (let at = 0; at < part.length;) {
        const { bytesRead } = await file.read(part, at, part.length - at, position);
        if (bytesRead === 0) throw new Error(`${path} ends at ${position}`);
        at += bytesRead;
        position += bytesRead;
      }
    }
    if (position > keptBytes) await file.truncate();
  } finally {
    await file.close();
  }
}

/** Memory of its own for each part, which threads can share. */
export function sharedPlace(sizeBytes: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(sizeBytes));
}

/** Places for parts of these sizes, one after the other in memory that is kept for the next value. */
export function placesIn(memory: { bytes: Uint8Array }, sizes: readonly number[]): (sizeBytes: number) => Uint8Array {
  const aligned = (size: number): number => Math.ceil(size / 8) * 8;
  const neededBytes = sizes.reduce((sum, size) => sum + aligned(size), 0);
  if (memory.bytes.length < neededBytes) memory.bytes = new Uint8Array(neededBytes);
  let next = 0;
  return (sizeBytes) => {
    const start = next;
    next += aligned(sizeBytes);
    return memory.bytes.subarray(start, start + sizeBytes);
  };
}
