/** Compressed data that can't be read to the end; the message is for the owner of the file. */
export class CompressedDataProblem extends Error {
  override readonly name = 'CompressedDataProblem';
  /** Whether the bytes read before the problem can be used. */
  readonly keepsBefore: boolean;
  constructor(message: string, { keepsBefore }: { keepsBefore: boolean }) {
    super(message);
    this.keepsBefore = keepsBefore;
  }
}

/** Limits on how far a file may expand. */
export type UnpackLimits = {
  maxBytes: number;
  /** Unpacked bytes per compressed byte; enforced from `ratioFreeBytes` unpacked bytes on. */
  maxRatio: number;
  ratioFreeBytes: number;
};

/** Counts unpacked bytes; throws CompressedDataProblem when they exceed the limits. */
export type UnpackGauge = { add(bytes: number, compressedBytes: number): void };

export function createUnpackGauge({ maxBytes, maxRatio, ratioFreeBytes }: UnpackLimits): UnpackGauge {
  let total = 0;
  return {
    add(bytes, compressedBytes) {
      total += bytes;
      const refuse = (why: string): never => {
        throw new CompressedDataProblem(`it unpacks to more than ${why}`, { keepsBefore: false });
      };
      if (total > maxBytes) refuse(`the ${maxBytes} bytes that are allowed`);
      if (total > ratioFreeBytes && total > maxRatio * compressedBytes) refuse(`${maxRatio} times its size`);
    },
  };
}
