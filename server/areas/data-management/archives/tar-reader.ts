import { archiveProblems } from '../../../kernel/sentences/index.ts';
import { isAscii } from 'node:buffer';
import type { BlobWriter, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { ArchiveIntake } from './archive-intake.ts';
import { isTarHeader } from './archive-format.ts';
import { ArchiveError, type ArchiveGauge } from './archive-limits.ts';
import { createDecoder, type NameEncoding } from './name-encodings.ts';
import {
  createTarExtensions,
  isSparseContinued,
  readSparseBlock,
  readTarBlock,
  tarBlockBytes,
  type TarBlock,
  type TarHeader,
} from './tar-headers.ts';
import { createSparseContent } from './tar-sparse-content.ts';
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

/** The part of an intake that a tar needs. */
export type TarIntake = Pick<
  ArchiveIntake,
  'accept' | 'addFolder' | 'refuse' | 'warn' | 'noteNameEncoding' | 'stageWhole' | 'openWriter' | 'add'
>;

/** The target of the current entry; `missingBytes` have not arrived yet. */
type OpenEntry = {
  missingBytes: number;
  readonly sizeBytes: number;
  /** Copies the bytes. */
  write(bytes: Buffer): Promise<void> | undefined;
  end(): Promise<void> | undefined;
  abort?(): Promise<void>;
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
  const decodeUndeclared = createDecoder(nameEncoding);
  let undeclaredNames = 0;
  const extensions = createTarExtensions();
  /** The start of a block whose rest is in the next piece. */
  const partial = Buffer.alloc(tarBlockBytes);
  let partialBytes = 0;
  let skippedBytes = 0;
  /** Set while the next blocks continue the list of runs of a sparse file. */
  let sparseMap: SparseHeader | undefined;
  let open: OpenEntry | undefined;
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
    if (bytesBehind > 0 && isHeader)
      throw new ArchiveError('The archive is damaged: bytes that are no entry stand between its entries');
    if (bytesBehind > 0 || (zeroBlocks > 1 && !isHeader && block.some((byte) => byte !== 0))) {
      bytesBehind += tarBlockBytes;
      return;
    }
    const found = readTarBlock(block);
    zeroBlocks = found === undefined ? zeroBlocks + 1 : 0;
    if (found === undefined) return;
    if (found.sparse !== undefined && isSparseContinued(block)) sparseMap = found.sparse;
    open = extensions.isExtension(found) ? openExtension(found) : openEntry(extensions.apply(found));
  }

  function openExtension({ type, sizeBytes }: TarBlock): OpenEntry {
    const content = Buffer.allocUnsafe(sizeBytes);
    let length = 0;
    return {
      missingBytes: sizeBytes,
      sizeBytes,
      write(bytes) {
        length += bytes.copy(content, length);
        return undefined;
      },
      end() {
        extensions.add(type, content);
        return undefined;
      },
    };
  }

  function openEntry(header: TarHeader): OpenEntry | undefined {
    gauge.countEntry();
    const name = decodeName(header);
    const shownName = name ?? header.name;
    const isFolder = isFolderHeader(header);
    const { sizeBytes } = header;
    // A folder has no content, whatever its size field says, except for the name list of an incremental backup.
    const skipped =
      isFolder && header.type !== 'D'
        ? undefined
        : { missingBytes: sizeBytes, sizeBytes, write: () => undefined, end: () => undefined };
    if (header.type === 'V') {
      intake.warn(`The volume label “${shownName}” is no file: it was left out`);
      return skipped;
    }
    if (name === undefined) {
      intake.refuse(shownName, `The name is not valid ${nameEncoding === 'utf-8' ? 'UTF-8' : nameEncoding}`);
      return skipped;
    }
    if (isFolder) {
      intake.addFolder(name, shownName);
      return skipped;
    }
    const refusal = refusalOf(header);
    if (refusal !== undefined) {
      intake.refuse(shownName, refusal);
      return skipped;
    }
    if (header.sparse !== undefined) {
      const content = createSparseContent({ sparse: header.sparse, sizeBytes, name, intake, gauge, archiveBytes });
      return { missingBytes: sizeBytes, sizeBytes, ...content };
    }
    const path = intake.accept(name, shownName);
    return path === undefined ? skipped : openFile(path, sizeBytes);
  }

  function openFile(path: string, sizeBytes: number): OpenEntry {
    let writer: BlobWriter | undefined;
    let whole: StagedBlob | undefined;
    return {
      missingBytes: sizeBytes,
      sizeBytes,
      write(bytes) {
        gauge.countBytes(bytes.length, archiveBytes());
        if (writer === undefined && bytes.length === sizeBytes) whole = intake.stageWhole(bytes);
        if (whole !== undefined) return undefined;
        writer ??= intake.openWriter();
        return writer.write(bytes);
      },
      end() {
        if (whole !== undefined) return intake.add(path, whole);
        const ended = writer ?? intake.openWriter();
        return ended.finish().then((staged) => intake.add(path, staged));
      },
      abort: async () => writer?.abort(),
    };
  }

  /** The name of an entry; undefined when its bytes are invalid. A name from a pax header is already decoded. */
  function decodeName({ name, isDecoded }: TarHeader): string | undefined {
    if (isDecoded) return name.includes('\ufffd') ? undefined : name;
    const bytes = Buffer.from(name, 'latin1');
    if (isAscii(bytes)) return name;
    undeclaredNames++;
    return decodeUndeclared(bytes);
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
        throw new ArchiveError('The archive has no end mark: it is no tar, or it is cut off');
      if (undeclaredNames > 0 && nameEncoding !== 'utf-8')
        intake.noteNameEncoding({ encoding: nameEncoding, guessed: false, entries: undeclaredNames });
      if (bytesBehind > 0 || partial.subarray(0, partialBytes).some((byte) => byte !== 0))
        intake.warn(archiveProblems.BYTES_BEHIND_END({ bytes: bytesBehind + partialBytes }));
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

/** Old tars mark folders by a trailing slash in the name. */
function isFolderHeader({ type, name, sizeBytes }: TarHeader): boolean {
  return type === '5' || type === 'D' || (type === '0' && name.endsWith('/') && sizeBytes === 0);
}

/** Why an entry of this type is refused; undefined if it isn't. */
function refusalOf({ type, name }: TarHeader): string | undefined {
  if (type === '0' && name.endsWith('/')) return 'A folder with content';
  switch (type) {
    case '0':
    case '5':
    case 'D':
    case '7':
    case 'S':
      return undefined;
    case '1':
      return 'A hard link';
    case '2':
      return 'A symbolic link';
    case '3':
    case '4':
      return 'A device';
    case '6':
      return 'A named pipe';
    case 'M':
      return 'The rest of a file that begins in another archive';
    default:
      return 'An entry of unknown kind';
  }
}
