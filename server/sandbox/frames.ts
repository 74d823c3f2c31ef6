/** A message between a lane's thread and its process: a head as JSON, and bytes. */
export type Frame = { readonly head: unknown; readonly bytes: Uint8Array };

const lengthBytes = 8;

/** The lengths of head and bytes, then both. */
export function encodeFrame({ head, bytes }: Frame): Uint8Array[] {
  const json = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(lengthBytes);
  lengths.writeUInt32LE(json.length, 0);
  lengths.writeUInt32LE(bytes.length, 4);
  return [Buffer.concat([lengths, json]), bytes];
}

/** Reads one frame by `read`, which returns exactly the given number of bytes. */
export function readFrame(read: (length: number) => Buffer): Frame {
  const lengths = read(lengthBytes);
  const head = JSON.parse(read(lengths.readUInt32LE(0)).toString('utf8')) as unknown;
  return { head, bytes: read(lengths.readUInt32LE(4)) };
}

/** Heads only have a kind and a cause. */
const maxHeadBytes = 65_536;

/**
 * Assembles frames from pieces as they arrive; the bytes of each frame are a copy. A frame of more than `maxBytes` is
 * an error.
 */
export function createFrameCollector(maxBytes: number): { push(piece: Buffer): Frame[] } {
  const lengths = Buffer.alloc(lengthBytes);
  let head = Buffer.alloc(0);
  let bytes = Buffer.alloc(0);
  /** Bytes of the current frame received so far. */
  let filled = 0;

  /** Copies the part of the piece that belongs at `start` of the frame; returns the number of bytes. */
  function fill(target: Buffer, start: number, piece: Buffer): number {
    const count = piece.copy(target, filled - start);
    filled += count;
    return count;
  }

  function begin(): void {
    const [headLength, bytesLength] = [lengths.readUInt32LE(0), lengths.readUInt32LE(4)];
    if (headLength > maxHeadBytes || bytesLength > maxBytes) throw new RangeError('The answer is too large');
    head = Buffer.alloc(headLength);
    bytes = Buffer.from(new ArrayBuffer(bytesLength));
  }

  return {
    push(piece) {
      const frames: Frame[] = [];
      let rest = piece;
      while (rest.length > 0) {
        if (filled < lengthBytes) {
          rest = rest.subarray(fill(lengths, 0, rest));
          if (filled < lengthBytes) break;
          begin();
        }
        const bytesStart = lengthBytes + head.length;
        if (filled < bytesStart) rest = rest.subarray(fill(head, lengthBytes, rest));
        if (filled >= bytesStart) rest = rest.subarray(fill(bytes, bytesStart, rest));
        if (filled === bytesStart + bytes.length) {
          frames.push({ head: JSON.parse(head.toString('utf8')) as unknown, bytes });
          filled = 0;
        }
      }
      return frames;
    },
  };
}
