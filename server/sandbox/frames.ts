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

/** Reads one frame by `read`, which answers with exactly that many bytes. */
export function readFrame(read: (length: number) => Buffer): Frame {
  const lengths = read(lengthBytes);
  const head = JSON.parse(read(lengths.readUInt32LE(0)).toString('utf8')) as unknown;
  return { head, bytes: read(lengths.readUInt32LE(4)) };
}

/** Collects the pieces of frames as they arrive; a frame of more than `maxBytes` is an error. */
export function createFrameCollector(maxBytes: number): { push(piece: Buffer): Frame | undefined } {
  let pieces: Buffer[] = [];
  let collected = 0;
  let expected = lengthBytes;
  return {
    push(piece) {
      pieces.push(piece);
      collected += piece.length;
      if (collected < expected) return undefined;
      let whole = Buffer.concat(pieces);
      expected = lengthBytes + whole.readUInt32LE(0) + whole.readUInt32LE(4);
      if (expected > maxBytes) throw new RangeError('The answer is too large');
      pieces = [whole];
      if (collected < expected) return undefined;
      if (collected > expected) throw new RangeError('There is more than one answer');
      let at = 0;
      const frame = readFrame((length) => whole.subarray(at, (at += length)));
      pieces = [];
      collected = 0;
      expected = lengthBytes;
      whole = Buffer.alloc(0);
      return frame;
    },
  };
}
