import { archiveProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { isAscii } from 'node:buffer';
import type { BlobWriter, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { ArchiveIntake } from './archive-intake.ts';
import type { ArchiveGauge } from './archive-limits.ts';
import { createDecoder, type NameEncoding } from './name-encodings.ts';
import { createTarExtensions, type TarBlock, type TarHeader } from './tar-headers.ts';
import { createSparseContent } from './tar-sparse-content.ts';

/** The part of an intake that a tar needs. */
export type TarIntake = Pick<
  ArchiveIntake,
  'accept' | 'addFolder' | 'refuse' | 'warn' | 'noteNameEncoding' | 'stageWhole' | 'openWriter' | 'add'
>;

/** The target of an entry; `missingBytes` have not arrived yet. */
export type TarEntry = {
  missingBytes: number;
  readonly sizeBytes: number;
  /** Copies the bytes. */
  write(bytes: Buffer): Promise<void> | undefined;
  end(): Promise<void> | undefined;
  abort?(): Promise<void>;
};

export type TarEntries = {
  /** Opens the target of a block's content; undefined if there is none. */
  open(block: TarBlock): TarEntry | undefined;
  /** Names whose encoding the archive does not declare. */
  readonly undeclaredNames: number;
};

/** Decides what becomes of each entry of a tar: a file or folder of the intake, a refusal, or a part of the next header. */
export function createTarEntries({
  intake,
  gauge,
  archiveBytes,
  nameEncoding,
}: {
  intake: TarIntake;
  gauge: ArchiveGauge;
  archiveBytes: () => number;
  nameEncoding: NameEncoding;
}): TarEntries {
  const decodeUndeclared = createDecoder(nameEncoding);
  let undeclaredNames = 0;
  const extensions = createTarExtensions();

  function openExtension({ type, sizeBytes }: TarBlock): TarEntry {
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

  function openEntry(header: TarHeader): TarEntry | undefined {
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
      intake.warn(archiveProblems.VOLUME_LABEL.reason({ label: shownName }));
      return skipped;
    }
    if (name === undefined) {
      const encoding = nameEncoding === 'utf-8' ? 'UTF-8' : nameEncoding;
      intake.refuse(shownName, archiveProblems.NAME_NOT_VALID.reason({ encoding }));
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

  function openFile(path: string, sizeBytes: number): TarEntry {
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

  return {
    open: (block) => (extensions.isExtension(block) ? openExtension(block) : openEntry(extensions.apply(block))),
    get undeclaredNames() {
      return undeclaredNames;
    },
  };
}

/** Old tars mark folders by a trailing slash in the name. */
function isFolderHeader({ type, name, sizeBytes }: TarHeader): boolean {
  return type === '5' || type === 'D' || (type === '0' && name.endsWith('/') && sizeBytes === 0);
}

/** Why an entry of this type is refused; undefined if it isn't. */
function refusalOf({ type, name }: TarHeader): Reason | undefined {
  if (type === '0' && name.endsWith('/')) return archiveProblems.IS_FOLDER_WITH_CONTENT.reason({});
  switch (type) {
    case '0':
    case '5':
    case 'D':
    case '7':
    case 'S':
      return undefined;
    case '1':
      return archiveProblems.IS_HARD_LINK.reason({});
    case '2':
      return archiveProblems.IS_SYMBOLIC_LINK.reason({});
    case '3':
    case '4':
      return archiveProblems.IS_DEVICE.reason({});
    case '6':
      return archiveProblems.IS_PIPE.reason({});
    case 'M':
      return archiveProblems.IS_REST.reason({});
    default:
      return archiveProblems.IS_UNKNOWN.reason({});
  }
}
