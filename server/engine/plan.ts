import { fileTypeOf } from '../kernel/file-path.ts';
import { formatOf } from '../tables/formats.ts';
import type { InputFile } from './job.ts';
import type { Piece } from './shard.ts';

/** A shard before anything has happened to it. */
export type PlannedShard = {
  pieces: Piece[];
  filePart: number;
  fileParts: number;
  /** Bytes of input, at least one a file: the shard's share of the progress. */
  bytes: number;
};

export type PlanOptions = { shardBytes: number; shardFiles: number };

/**
 * Cuts input into shards, in path order: neighbouring small files together, a big JSONL file by byte ranges (a row belongs
 * to the range that its first byte is in), any other big file alone.
 */
export async function* planShards(
  inputs: AsyncIterable<readonly InputFile[]>,
  { shardBytes, shardFiles }: PlanOptions,
): AsyncGenerator<PlannedShard> {
  let group: PlannedShard | undefined;
  for await (const slice of inputs) {
    for (const file of slice) {
      const bytes = Math.max(1, file.sizeBytes);
      if (group !== undefined && (group.bytes + bytes > shardBytes || group.pieces.length >= shardFiles)) {
        yield group;
        group = undefined;
      }
      const canBeCut =
        file.blobId !== null && file.problem === undefined && formatOf(fileTypeOf(file.path)) === 'jsonl';
      if (canBeCut && file.sizeBytes > shardBytes) {
        yield* cut(file, shardBytes);
        continue;
      }
      group ??= { pieces: [], filePart: 0, fileParts: 1, bytes: 0 };
      group.pieces.push(file);
      group.bytes += bytes;
    }
  }
  if (group !== undefined) yield group;
}

function* cut(file: InputFile, shardBytes: number): Generator<PlannedShard> {
  const fileParts = Math.ceil(file.sizeBytes / shardBytes);
  for (let filePart = 0; filePart < fileParts; filePart += 1) {
    const from = filePart * shardBytes;
    const to = Math.min(from + shardBytes, file.sizeBytes);
    yield { pieces: [{ ...file, range: { from, to } }], filePart, fileParts, bytes: to - from };
  }
}
