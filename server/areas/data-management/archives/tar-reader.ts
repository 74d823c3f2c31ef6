import { archiveProblems } from '../../../kernel/sentences/index.ts';
import { isTarHeader } from './archive-format.ts';
import { ArchiveError, type ArchiveGauge } from './archive-limits.ts';
import type { NameEncoding } from './name-encodings.ts';
import { isSparseContinued, readSparseBlock, readTarBlock, tarBlockBytes } from './tar-headers.ts';
import { createTarEntries, type TarEntry, type TarIntake } from './tar-entries.ts';
import type { SparseHeader } from './tar-sparse-map.ts';

/** Reads a tar in pieces of any size; throws ArchiveError when it isn't one, is damaged or unpacks to too much. */
export type TarReader = {
  /** Once it resolves, the piece is no longer needed. */
  take(piece: Buffer): Promise<void>;
  /** Call after the last piece; throws ArchiveError when the archive is truncated. */
  end(): void;
  /** Discards an incomplete entry. */
  abort(): Promise<void>;
};

/**
 * Keeps no piece: small files go straight to the store, in half the time of a stream per entry, larger ones in slices.
 * `archiveBytes` returns how many bytes of the archive, before inflating, have arrived; `nameEncoding` is the encoding of names
 * not declared as Unicode (default UTF-8).
 */
export function createTarReader(
  intake: TarIntake,
  gauge: ArchiveGauge,
  archiveBytes: () => number,
  nameEncoding: NameEncoding = 'utf-8',
): TarReader {
  const entries = createTarEntries({ intake, gauge, archiveBytes, nameEncoding });
  /** The start of a block whose rest is in the next piece. */
  const partial = Buffer.alloc(tarBlockBytes);
  let partialBytes = 0;
  let skippedBytes = 0;
  /** Set while the next blocks continue the list of runs of a sparse file. */
  let sparseMap: SparseHeader | undefined;
  let open: TarEntry | undefined;
  /** Two blocks of zeros end an archive; another may follow. */
  let zeroBlocks = 0;
  let bytesBehind = 0;

  /** The block at an offset in a piece; undefined while it is incomplete. */
  function completeBlock(piece: Buffer, at: number): { block: Buffer; next: number } | undefined {
    if (partialBytes === 0 && piece.length - at >= tarBlockBytes) {
      const next = at + tarBlockBytes;
      return { block: piece.subarray(at, next), next };
    }
    const taken = piece.copy(partial, partialBytes, at);
    partialBytes += taken;
    if (partialBytes < tarBlockBytes) return undefined;
    partialBytes = 0;
    return { block: partial, next: at + taken };
  }

  function takeBlock(block: Buffer): void {
    if (sparseMap !== undefined) {
      if (!readSparseBlock(block, sparseMap)) sparseMap = undefined;
      return;
    }
    const isHeader = isTarHeader(block);
    if (bytesBehind > 0 && isHeader) throw new ArchiveError(archiveProblems.TAR_STRAY_BYTES.reason({}));
    if (bytesBehind > 0 || (zeroBlocks > 1 && !isHeader && block.some((byte) => byte !== 0))) {
      bytesBehind += tarBlockBytes;
      return;
    }
    const found = readTarBlock(block);
    zeroBlocks = found === undefined ? zeroBlocks + 1 : 0;
    if (found === undefined) return;
    if (found.sparse !== undefined && isSparseContinued(block)) sparseMap = found.sparse;
    open = entries.open(found);
  }

  function skip(bytes: number): number {
    const skipped = Math.min(skippedBytes, bytes);
    skippedBytes -= skipped;
    return skipped;
  }

  return {
    async take(piece) {
      for (let at = 0; ;) {
        at += skip(piece.length - at);
        if (open !== undefined && sparseMap === undefined) {
          if (open.missingBytes > 0) {
            if (at === piece.length) return;
            const end = Math.min(piece.length, at + open.missingBytes);
            open.missingBytes -= end - at;
            const written = open.write(piece.subarray(at, end));
            at = end;
            if (written !== undefined) await written;
            if (open.missingBytes > 0) return;
          }
          const entry = open;
          open = undefined;
          skippedBytes = paddingOf(entry.sizeBytes);
          const ended = entry.end();
          if (ended !== undefined) await ended;
        } else {
          if (at === piece.length) return;
          const found = completeBlock(piece, at);
          if (found === undefined) return;
          at = found.next;
          takeBlock(found.block);
        }
      }
    },

    end() {
      const isWhole = zeroBlocks > 0 && open === undefined && skippedBytes === 0;
      if (!isWhole || (zeroBlocks === 1 && partialBytes > 0))
        throw new ArchiveError(archiveProblems.TAR_NO_END.reason({}));
      const { undeclaredNames } = entries;
      if (undeclaredNames > 0 && nameEncoding !== 'utf-8')
        intake.noteNameEncoding({ encoding: nameEncoding, guessed: false, entries: undeclaredNames });
      if (bytesBehind > 0 || partial.subarray(0, partialBytes).some((byte) => byte !== 0))
        intake.warn(archiveProblems.BYTES_BEHIND_END.reason({ bytes: bytesBehind + partialBytes }));
    },

    async abort() {
      await open?.abort?.();
      open = undefined;
    },
  };
}

/** Bytes from the end of the content to the next block. */
function paddingOf(sizeBytes: number): number {
  return (tarBlockBytes - (sizeBytes % tarBlockBytes)) % tarBlockBytes;
}
