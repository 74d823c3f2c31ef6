import { archiveProblems } from '../../../kernel/sentences/index.ts';
import { setImmediate } from 'node:timers/promises';
import type { BlobWriter } from '../../../storage/blobs/blob-store.ts';
import type { ArchiveIntake } from './archive-intake.ts';
import type { ArchiveGauge } from './archive-limits.ts';
import { createSparseMapReader, sparseProblemOf, type SparseHeader, type SparseMap } from './tar-sparse-map.ts';

/** Stores the content of a sparse entry with zeros for its holes; refuses the entry when that is not possible. */
export type SparseContent = {
  write(bytes: Buffer): Promise<void>;
  end(): Promise<void>;
  abort(): Promise<void>;
};

const zeros = Buffer.alloc(256 * 1024);
/** Zeros written before other work gets a turn. */
const zerosPerTurn = 32 * zeros.length;

/** `sparse` may lack runs until the first byte of the content, or its end. */
export function createSparseContent({
  sparse,
  sizeBytes,
  name,
  intake,
  gauge,
  archiveBytes,
}: {
  sparse: SparseHeader;
  /** Bytes of the entry in the archive. */
  sizeBytes: number;
  name: string;
  intake: Pick<ArchiveIntake, 'accept' | 'refuse' | 'openWriter' | 'add'>;
  gauge: ArchiveGauge;
  archiveBytes: () => number;
}): SparseContent {
  const mapReader = sparse.isMapInContent ? createSparseMapReader() : undefined;
  let target: { path: string; writer: BlobWriter; expansion: SparseExpansion } | undefined;
  let isBegun = false;

  function begin(): void {
    isBegun = true;
    const map = { realBytes: sparse.realBytes, runs: mapReader?.runs ?? sparse.runs };
    const problem =
      sparse.problem ??
      mapReader?.problem ??
      sparseProblemOf(map, sizeBytes - (mapReader?.mapBytes ?? 0)) ??
      (gauge.hasRoom(map.realBytes, archiveBytes())
        ? undefined
        : archiveProblems.SPARSE_TOO_LARGE.reason({ bytes: map.realBytes }));
    if (problem !== undefined) {
      intake.refuse(name, problem);
      return;
    }
    const path = intake.accept(name, name);
    if (path === undefined) return;
    gauge.countBytes(map.realBytes, archiveBytes());
    const writer = intake.openWriter();
    target = { path, writer, expansion: createSparseExpansion(map, (bytes) => writer.write(bytes)) };
  }

  return {
    async write(bytes) {
      const content = mapReader === undefined || isBegun ? bytes : mapReader.take(bytes);
      if (content === undefined) return;
      if (!isBegun) begin();
      await target?.expansion.take(content);
    },
    async end() {
      if (!isBegun) begin();
      if (target === undefined) return;
      try {
        await target.expansion.end();
      } catch (error) {
        await target.writer.abort();
        throw error;
      }
      await intake.add(target.path, await target.writer.finish());
    },
    abort: async () => target?.writer.abort(),
  };
}

/** Writes a sparse file with zeros for its holes, from the bytes of its runs. */
type SparseExpansion = {
  take(bytes: Buffer): Promise<void>;
  /** Writes the last hole. */
  end(): Promise<void>;
};

function createSparseExpansion(
  { realBytes, runs }: SparseMap,
  write: (bytes: Buffer) => Promise<void> | undefined,
): SparseExpansion {
  let position = 0;
  let at = 0;
  let zerosInTurn = 0;

  async function fillTo(end: number): Promise<void> {
    while (position < end) {
      const piece = zeros.subarray(0, Math.min(zeros.length, end - position));
      position += piece.length;
      await write(piece);
      zerosInTurn += piece.length;
      if (zerosInTurn < zerosPerTurn) continue;
      zerosInTurn = 0;
      await setImmediate();
    }
  }

  return {
    async take(bytes) {
      for (let rest = bytes; rest.length > 0;) {
        const run = runs[at];
        if (run === undefined) throw new Error('A sparse file has more bytes than its runs');
        await fillTo(run.offset);
        const piece = rest.subarray(0, run.offset + run.sizeBytes - position);
        if (piece.length > 0) await write(piece);
        position += piece.length;
        rest = rest.subarray(piece.length);
        if (position === run.offset + run.sizeBytes) at++;
      }
    },
    end: () => fillTo(realBytes),
  };
}
