import Bunzip from 'seek-bzip';
import { inputProblems } from '../../kernel/sentences/index.ts';
import { readFully, type ReadAt } from '../lines.ts';
import { CompressedDataProblem, createUnpackGauge, type UnpackLimits } from './unpack-gauge.ts';

const blockBytes = 1 << 20;

/** The file ends within its compressed data. */
class InputEnds extends Error {}

/**
 * Unpacks all streams of a bzip2 file in bounded memory. Throws CompressedDataProblem after the last block with a
 * correct checksum. `write` must copy.
 */
export function unpackBzip2(
  { read, sizeBytes }: { read: ReadAt; sizeBytes: number },
  limits: UnpackLimits,
  write: (bytes: Uint8Array) => void,
): void {
  const gauge = createUnpackGauge(limits);
  const input = new Uint8Array(blockBytes);
  const output = new Uint8Array(blockBytes);
  let inputStart = 0;
  let inputLength = 0;
  let at = 0;
  let length = 0;
  /** The error that `write` threw. */
  let outside: unknown;

  function readByte(): number {
    if (at - inputStart === inputLength) {
      inputStart = at;
      inputLength = Math.min(blockBytes, sizeBytes - at);
      if (inputLength === 0) throw new InputEnds();
      readFully(read, input.subarray(0, inputLength), at);
    }
    at += 1;
    return input[at - 1 - inputStart] ?? 0;
  }

  function flush(): void {
    if (length === 0) return;
    gauge.add(length, at);
    try {
      write(output.subarray(0, length));
    } catch (error) {
      outside = error;
      throw error;
    }
    length = 0;
  }

  const from = {
    readByte,
    read(target: Uint8Array, offset: number, count: number) {
      for (let index = 0; index < count; index += 1) target[offset + index] = readByte();
      return count;
    },
  };
  const to = {
    writeByte(byte: number) {
      output[length] = byte;
      length += 1;
      if (length === blockBytes) flush();
    },
  };
  // Without `eof`, the library reads one stream, verifies its checksums and stops after it.
  const isAtEnd = (): boolean => at >= sizeBytes;
  for (let streams = 0; streams === 0 || !isAtEnd(); streams += 1) {
    const start = at;
    try {
      Bunzip.decode(from, to);
    } catch (error) {
      if (error === outside || error instanceof CompressedDataProblem) throw error;
      const begins = at - start <= 4;
      flush();
      throw problemOf(error, { begins, streams, start });
    }
    flush();
  }
}

function problemOf(
  error: unknown,
  { begins, streams, start }: { begins: boolean; streams: number; start: number },
): CompressedDataProblem {
  const keepsBefore = true;
  if (begins && streams > 0) {
    return new CompressedDataProblem(inputProblems.COMPRESSED_OTHER_BYTES.reason({ start }), {
      keepsBefore,
    });
  }
  if (error instanceof InputEnds) {
    return new CompressedDataProblem(inputProblems.COMPRESSED_CUT.reason({}), { keepsBefore });
  }
  if (begins) return new CompressedDataProblem(inputProblems.COMPRESSED_OTHERWISE_NAMED.reason({}), { keepsBefore });
  const message = error instanceof Error ? error.message : String(error);
  // The library writes a block before it verifies the checksum.
  return new CompressedDataProblem(inputProblems.COMPRESSED_DAMAGED.reason({ why: message }), { keepsBefore: false });
}
