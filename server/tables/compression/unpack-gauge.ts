import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { inputProblems, type Reason } from '../../kernel/sentences/index.ts';
/** Compressed data that can't be read to the end; the message is for the owner of the file. */
export class CompressedDataProblem extends ReasonedError {
  override readonly name = 'CompressedDataProblem';
  /** Whether the bytes read before the problem can be used. */
  readonly keepsBefore: boolean;
  constructor(reason: Reason, { keepsBefore }: { keepsBefore: boolean }) {
    super(reason);
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
      const refuse = (why: Reason): never => {
        throw new CompressedDataProblem(inputProblems.COMPRESSED_RATIO.reason({ why }), { keepsBefore: false });
      };
      if (total > maxBytes) refuse(inputProblems.LIMIT_OF_BYTES.reason({ limit: maxBytes }));
      if (total > ratioFreeBytes && total > maxRatio * compressedBytes)
        refuse(inputProblems.LIMIT_OF_RATIO.reason({ times: maxRatio }));
    },
  };
}
