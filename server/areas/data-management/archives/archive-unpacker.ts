import { setTimeout as delay } from 'node:timers/promises';
import { isoNow, type Clock } from '../../../kernel/clock.ts';
import { AppError } from '../../../kernel/errors.ts';
import { parentOf } from '../../../kernel/file-path.ts';
import type { BlobReader, BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Nodes } from '../../../nodes/index.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import type { Signals } from '../../../storage/database/signals.ts';
import { isStorageFull } from '../../../storage/database/sql.ts';
import type { ArchivesTable } from '../../../storage/database/tables/uploads.ts';
import { isDatabaseUnavailable } from '../../../storage/database/unavailable.ts';
import { sniffArchive, sniffBytes, sniffEmptyTar, unpackFolderOf, type ArchiveFormat } from './archive-format.ts';
import { createArchiveIntake, noEffects, type ArchiveIntake, type IntakeReceipt } from './archive-intake.ts';
import { ArchiveError, createArchiveGauge } from './archive-limits.ts';
import type { FileCommits } from '../files/file-commits.ts';
import {
  claimArchive,
  endArchiveOf,
  isProcessing,
  listPendingArchives,
  noteArchiveProgress,
} from '../queries/archives.ts';
import { lockDataset } from '../queries/commits.ts';
import { closeVersionOfFinished } from '../queries/uploads.ts';
import { parseNameEncoding } from './name-encodings.ts';
import { LostEntriesError, type StagedEntries } from './staged-entries.ts';
import { readTar } from './tar-archive.ts';
import type { UploadSettings } from '../upload-settings.ts';
import { readZip } from './zip-archive.ts';
import { endsAsZip } from './zip-directory.ts';

/** Unpacks archives in the background: each is replaced by its entries in one version, or stays with the reason. */
export type ArchiveUnpacker = {
  /** Starts with waiting archives, including those from before a restart. */
  start(): void;
  /** Announces a new archive to unpack. */
  wake(): void;
  /** Aborts running work, which starts over at the next start. */
  stop(): Promise<void>;
  /** Resolves when no archive waits. */
  idle(): Promise<void>;
  /** Progress of an archive that is being unpacked now. */
  progressOf(uploadId: string, fileNo: number): Pick<IntakeReceipt, 'files' | 'bytes' | 'refused'> | undefined;
};

const readBytes = 256 * 1024;
const retryPauseMs = 2_000;
/** How often other nodes are told of the progress. */
const progressEveryMs = 1_000;

/** The work was stopped; the archive is not at fault. */
class Stopped extends Error {}

/** Another node unpacks the archive: this one had been silent for too long. */
class Overtaken extends Error {}

export function createArchiveUnpacker({
  db,
  blobs,
  commits,
  clock,
  stagedEntries,
  settings,
  nodes,
  signals,
  onError,
}: {
  db: Database;
  blobs: BlobStore;
  commits: FileCommits;
  clock: Clock;
  stagedEntries: StagedEntries;
  settings: UploadSettings;
  nodes: Pick<Nodes, 'id'>;
  signals: Signals;
  onError(error: unknown, task: string): void;
}): ArchiveUnpacker {
  const running = new Map<string, Promise<void>>();
  const intakes = new Map<ArchivesTable, ArchiveIntake>();
  /** Their bytes are in the data folder of another node. */
  const elsewhere = new Set<string>();
  let forget: (() => void) | undefined;
  const state: {
    started: boolean;
    wanted: boolean;
    looking: Promise<void> | undefined;
    /** Ends pauses when the unpacker stops. */
    ended: AbortController;
  } = { started: false, wanted: false, looking: undefined, ended: new AbortController() };

  function wake(): void {
    state.wanted = true;
    if (!state.started) return;
    state.looking ??= look()
      .catch(async (error: unknown) => {
        onError(error, 'looking for archives to unpack');
        state.wanted = true;
        await rest();
      })
      .finally(() => {
        state.looking = undefined;
        // A wake-up between the last check and now takes effect only here.
        if (state.wanted && running.size < settings.unpackers) wake();
      });
  }

  async function look(): Promise<void> {
    while (state.started && state.wanted && running.size < settings.unpackers) {
      state.wanted = false;
      const nodeId = nodes.id;
      for (const row of await listPendingArchives(db.read, nodeId, settings.unpackers * 2 + elsewhere.size)) {
        if (running.has(row.id) || elsewhere.has(row.id)) continue;
        if (running.size >= settings.unpackers) break;
        const archive = { ...row, node_id: nodeId };
        if (!(await db.write((tx) => claimArchive(tx, archive.id, nodeId)))) continue;
        const work = unpack(archive)
          .catch(async (error: unknown) => {
            if (error instanceof Stopped || error instanceof Overtaken) return;
            onError(error, `unpacking ${archive.path}`);
            // If even the failure couldn't be recorded, the archive is retried later: not at once, which would keep a full disk
            // busy.
            const waits = await isProcessing(db.read, archive.file_id, archive.blob_id).catch(() => true);
            if (waits) await rest();
          })
          .finally(() => {
            running.delete(archive.id);
            wake();
          });
        running.set(archive.id, work);
      }
    }
  }

  async function rest(): Promise<void> {
    await delay(retryPauseMs, undefined, { signal: state.ended.signal }).catch(() => undefined);
  }

  async function unpack(archive: ArchivesTable): Promise<void> {
    const prefix = archive.unpack_into === 'FOLDER' ? unpackFolderOf(archive.path) : parentOf(archive.path);
    const intake = createArchiveIntake({ db, blobs, commits, stagedEntries, prefix });
    intakes.set(archive, intake);
    const progress = db.dialect === 'postgres' ? setInterval(() => tell(archive, intake), progressEveryMs) : undefined;
    try {
      await takeEntries(archive, intake);
    } catch (error) {
      if (error instanceof Stopped) {
        await intake.leave();
        throw error;
      }
      // The archive is not at fault and starts over.
      if (isDatabaseUnavailable(error) || error instanceof LostEntriesError || error instanceof Overtaken) {
        await intake.discard().catch(() => undefined);
        throw error;
      }
      await intake.discard();
      if (error instanceof AppError && error.code === 'BLOB_ELSEWHERE') {
        elsewhere.add(archive.id);
        await db.write((tx) => endArchiveOf(tx, archive.id, ownerOf(archive), { node_id: null }));
        throw new Overtaken();
      }
      await fail(archive, error instanceof NothingTakenError ? error.receipt : intake.receipt(), reasonOf(error));
      if (!isExpected(error)) throw error;
    } finally {
      clearInterval(progress);
      intakes.delete(archive);
      signals.send('upload-changed', archive.upload_id);
    }
  }

  /** Followers of the upload may be on other nodes. */
  function tell(archive: ArchivesTable, intake: ArchiveIntake): void {
    const { files, bytes, refused } = intake.receipt();
    const progress = { file_count: files, total_size_bytes: bytes, refused_count: refused };
    noteArchiveProgress(db.read, archive.id, ownerOf(archive), progress).then(
      () => signals.send('upload-changed', archive.upload_id),
      // The next second tells more.
      () => undefined,
    );
  }

  async function takeEntries(archive: ArchivesTable, intake: ArchiveIntake): Promise<void> {
    if (!(await isProcessing(db.read, archive.file_id, archive.blob_id))) throw goneError();
    const reader = await blobs.open(archive.blob_id);
    try {
      const watched = stoppable(reader);
      const format = await formatOf(watched, archive.announced === 1);
      if (format === undefined) {
        await intake.discard();
        await keepAsFile(archive);
        return;
      }
      const gauge = createArchiveGauge(settings.archives);
      const { name_encoding: label } = archive;
      const names = { nameEncoding: label === null ? undefined : parseNameEncoding(label) };
      if (format === 'zip') await readZip(watched, intake, gauge, names);
      else await readTar(readAll(watched), intake, gauge, names);
    } finally {
      await reader.close();
    }
    // An archive without a usable entry stays, rather than vanish with all its content.
    if (intake.files === 0 && intake.receipt().refused > 0) throw new NothingTakenError(intake.receipt());
    const commit = intake.commit(
      {
        datasetId: archive.dataset_id,
        by: archive.created_by,
        onConflict: archive.on_conflict,
        replacing: { fileId: archive.file_id, blobId: archive.blob_id },
        message: `Unpacked ${archive.path}`,
        upload: { id: archive.upload_id, staysOpen: () => true },
      },
      async (tx, receipt) => {
        if (receipt.files === 0 && receipt.refused > 0) throw new NothingTakenError(receipt);
        await writeReceipt(tx, archive, 'UNPACKED', receipt, null);
      },
    );
    await commit.catch((error: unknown) => {
      // If the archive was deleted or replaced meanwhile, its entries are not wanted.
      throw error instanceof AppError && error.code === 'FILE_NOT_FOUND' ? goneError() : error;
    });
  }

  async function keepAsFile(archive: ArchivesTable): Promise<void> {
    await db.write(async (tx) => {
      if (await isProcessing(tx, archive.file_id, archive.blob_id))
        await commits.setStatus(tx, {
          datasetId: archive.dataset_id,
          fileId: archive.file_id,
          status: 'COMPLETED',
        });
      await endArchive(tx, archive, { state: 'NOT_AN_ARCHIVE' });
    });
  }

  async function fail(archive: ArchivesTable, receipt: IntakeReceipt, reason: string): Promise<void> {
    await db.write(async (tx) => {
      if (await isProcessing(tx, archive.file_id, archive.blob_id))
        await commits.setStatus(tx, {
          datasetId: archive.dataset_id,
          fileId: archive.file_id,
          status: 'ERROR',
          error: reason,
        });
      await writeReceipt(tx, archive, 'FAILED', { ...receipt, files: 0, bytes: 0, effects: noEffects() }, reason);
    });
  }

  async function writeReceipt(
    tx: Tx,
    archive: ArchivesTable,
    state: 'UNPACKED' | 'FAILED',
    receipt: IntakeReceipt,
    error: string | null,
  ): Promise<void> {
    await endArchive(tx, archive, {
      state,
      file_count: receipt.files,
      total_size_bytes: receipt.bytes,
      refused_count: receipt.refused,
      refusals: JSON.stringify(receipt.refusals.map(toStorable)),
      effects: JSON.stringify(receipt.effects),
      error,
    });
  }

  /** Ends an archive; the last archive of a complete upload closes the version. */
  async function endArchive(tx: Tx, archive: ArchivesTable, receipt: Partial<ArchivesTable>): Promise<void> {
    const { dataset_id: datasetId, upload_id: uploadId } = archive;
    // The lock makes concurrent endings visible to each other, so that the last one closes the version.
    await lockDataset(tx, datasetId);
    const end = { ...receipt, ended_at: isoNow(clock) };
    if (!(await endArchiveOf(tx, archive.id, ownerOf(archive), end))) throw new Overtaken();
    await closeVersionOfFinished(tx, { datasetId, uploadId });
  }

  /** Reads that fail once the unpacker stops. */
  function stoppable(reader: BlobReader): BlobReader {
    return {
      facts: reader.facts,
      close: () => reader.close(),
      read(target, position) {
        if (!state.started) return Promise.reject(new Stopped());
        return reader.read(target, position);
      },
    };
  }

  return {
    start() {
      state.started = true;
      state.ended = new AbortController();
      forget = signals.on('archive-added', wake);
      wake();
    },
    wake,
    async stop() {
      forget?.();
      state.started = false;
      state.ended.abort();
      await state.looking;
      await Promise.all(running.values());
    },
    async idle() {
      while (state.looking !== undefined || running.size > 0) {
        await state.looking;
        await Promise.all(running.values());
      }
    },
    progressOf(uploadId, fileNo) {
      for (const [archive, intake] of intakes) {
        if (archive.upload_id !== uploadId || archive.file_no !== fileNo) continue;
        const { files, bytes, refused } = intake.receipt();
        return { files, bytes, refused };
      }
      return undefined;
    },
  };
}

function ownerOf({ node_id: nodeId }: ArchivesTable): string {
  if (nodeId === null) throw new Error('The archive was not claimed');
  return nodeId;
}

async function readHead(reader: BlobReader): Promise<Buffer> {
  const head = Buffer.alloc(Math.min(sniffBytes, reader.facts.sizeBytes));
  let filled = 0;
  while (filled < head.length) {
    const read = await reader.read(head.subarray(filled), filled);
    if (read === 0) break;
    filled += read;
  }
  return head.subarray(0, filled);
}

/** How to unpack a file; undefined for a plain file. Throws ArchiveError when an announced archive isn't one. */
async function formatOf(reader: BlobReader, announced: boolean): Promise<ArchiveFormat | undefined> {
  const head = await readHead(reader);
  const sniffed = sniffArchive(head, reader.facts.sizeBytes);
  if (sniffed === 'zip' || sniffed === 'tar' || sniffed === 'tar.gz') return sniffed;
  if (!announced) return undefined;
  if (sniffed === 'document') return 'zip';
  const empty = sniffEmptyTar(head);
  if (empty !== undefined) return empty;
  // A self-extracting archive starts with a program; its end shows that it is a zip.
  if (await endsAsZip(reader)) return 'zip';
  throw new ArchiveError('The file is no zip, tar or tar.gz archive, or it is cut off');
}

async function* readAll(reader: BlobReader): AsyncGenerator<Buffer> {
  for (let position = 0; position < reader.facts.sizeBytes;) {
    // A new buffer each time: the unpackers keep pieces while the next is read.
    const buffer = Buffer.allocUnsafe(Math.min(readBytes, reader.facts.sizeBytes - position));
    const read = await reader.read(buffer, position);
    if (read === 0) return;
    position += read;
    yield buffer.subarray(0, read);
  }
}

function goneError(): ArchiveError {
  return new ArchiveError('The archive was deleted or replaced before it was unpacked');
}

/** Every entry was refused, some of them only at the commit because their names are taken. */
class NothingTakenError extends ArchiveError {
  readonly receipt: IntakeReceipt;

  constructor(receipt: IntakeReceipt) {
    const [first] = receipt.refusals;
    super(`None of the entries could be taken in${first === undefined ? '' : `; the first: ${first.reason}`}`);
    this.receipt = receipt;
  }
}

function isExpected(error: unknown): boolean {
  return error instanceof ArchiveError || error instanceof AppError;
}

function reasonOf(error: unknown): string {
  if (isExpected(error)) return (error as Error).message;
  if (isStorageFull(error)) return 'The storage was full; free some space and upload the archive again';
  return 'The service failed to unpack it; the log has the cause. Upload the archive again';
}

function toStorable({ path, reason }: { path: string; reason: string }): { path: string; reason: string } {
  return { path: path.toWellFormed(), reason: reason.toWellFormed() };
}
