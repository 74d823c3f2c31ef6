import { crc32 } from 'node:zlib';
import { AppError } from '../../../kernel/errors.ts';
import { parseFilePath } from '../../../kernel/file-path.ts';
import { archiveProblems } from '../../../kernel/sentences/index.ts';
import type { BlobReader, BlobWriter, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { ArchiveLimits } from '../upload-settings.ts';
import { sniffArchive, sniffBytes } from './archive-format.ts';
import type { EntryIntake } from './archive-intake.ts';
import { reasonOf } from '../../../kernel/reasoned-error.ts';
import type { RefusedEntry } from './archive-receipt.ts';
import { ArchiveError, createArchiveGauge } from './archive-limits.ts';
import { readTar } from './tar-archive.ts';
import { readZip } from './zip-archive.ts';

/** The files of a small archive, in memory, and its refused entries. */
export type ArchiveFiles = {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly refusals: readonly RefusedEntry[];
};

/**
 * Unpacks a zip, tar or tar.gz in memory, by the rules of uploads: limits on entries, size and ratio, no links, no path that
 * leaves the archive. Throws ArchiveError if it is no archive, is damaged or unpacks to too much.
 */
export async function readArchiveFiles(bytes: Buffer, limits: ArchiveLimits): Promise<ArchiveFiles> {
  const files = new Map<string, Uint8Array>();
  const refusals: RefusedEntry[] = [];
  const intake = createMemoryIntake(files, refusals);
  const gauge = createArchiveGauge(limits);
  const format = sniffArchive(bytes.subarray(0, sniffBytes), bytes.length);
  if (format === 'zip') await readZip(readerOf(bytes), intake, gauge);
  else if (format === 'tar' || format === 'tar.gz') await readTar(piecesOf(bytes), intake, gauge);
  else throw new ArchiveError(archiveProblems.NO_ARCHIVE.reason({}));
  return { files, refusals };
}

function createMemoryIntake(files: Map<string, Uint8Array>, refusals: RefusedEntry[]): EntryIntake {
  const staged = new Map<string, Buffer>();
  let writers = 0;

  function accept(name: string | undefined, shownName: string): string | undefined {
    try {
      return parseFilePath('path', (name ?? '').replace(/^(?:\.\/)+/, ''));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refusals.push({ path: shownName, reason: reasonOf(error) });
      return undefined;
    }
  }

  function openWriter(): BlobWriter {
    const pieces: Buffer[] = [];
    return {
      write(piece) {
        pieces.push(Buffer.from(piece));
        return undefined;
      },
      finish: async () => stage(Buffer.concat(pieces)),
      abort: async () => {},
    };
  }

  function stage(bytes: Buffer): StagedBlob {
    const id = String((writers += 1));
    staged.set(id, bytes);
    return { id, sizeBytes: bytes.length, crc32: crc32(bytes), sha256: null, place: { kind: 'empty' } };
  }

  return {
    accept,
    open(name, shownName) {
      const path = accept(name, shownName);
      return path === undefined ? undefined : { path, writer: openWriter() };
    },
    stageWhole: (bytes) => stage(Buffer.from(bytes)),
    openWriter,
    refuse: (path, reason) => void refusals.push({ path, reason }),
    addFolder(name, shownName) {
      const bare = (name ?? '').replace(/\/$/, '');
      if (bare !== '' && bare !== '.') accept(bare, shownName);
    },
    warn: () => {},
    noteNameEncoding: () => {},
    add(path, { id }) {
      if (files.has(path)) refusals.push({ path, reason: archiveProblems.ENTRY_TWICE.reason({}) });
      files.set(path, staged.get(id) ?? Buffer.alloc(0));
      return undefined;
    },
  };
}

function readerOf(bytes: Buffer): BlobReader {
  return {
    facts: { id: '', sizeBytes: bytes.length, crc32: 0, sha256: null },
    read: async (target, position) => bytes.copy(target, 0, position),
    close: async () => {},
  };
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  const length = 65_536;
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}
