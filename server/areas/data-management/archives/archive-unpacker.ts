import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../kernel/clock.ts';
import { archiveProblems } from '../../../kernel/sentences/index.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Nodes } from '../../../nodes/index.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import type { Signals } from '../../../storage/database/signals.ts';
import type { ArchivesTable } from '../../../storage/database/tables/uploads.ts';
import type { FileCommits } from '../files/file-commits.ts';
import { claimArchive, countUnpacking, isProcessing, listPendingArchives } from '../queries/archives.ts';
import { createArchiveOutcomes, Overtaken } from './archive-outcomes.ts';
import { noReceipt } from './archive-receipt.ts';
import { createArchiveUnpacking, Stopped, type ArchiveProgress } from './archive-unpacking.ts';
import type { StagedEntries } from './staged-entries.ts';
import type { UploadSettings } from '../upload-settings.ts';

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
  progressOf(uploadId: string, fileNo: number): ArchiveProgress | undefined;
};

const retryPauseMs = 2_000;

/** An archive is given up after this many processes ended while unpacking it. */
const mostUnpackings = 3;
const endsService = archiveProblems.UNPACKING_ENDS_SERVICE.reason({ times: mostUnpackings });

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
  const outcomes = createArchiveOutcomes({ db, commits, clock });
  const unpacking = createArchiveUnpacking({ db, blobs, commits, stagedEntries, outcomes, settings, signals });
  const running = new Map<string, Promise<void>>();
  /** Archives that this process has begun to unpack: its own retries do not count. */
  const known = new Set<string>();
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
      for (const row of await listPendingArchives(db.read, nodeId, settings.unpackers * 2 + unpacking.elsewhere.size)) {
        if (running.has(row.id) || unpacking.elsewhere.has(row.id)) continue;
        if (running.size >= settings.unpackers) break;
        const archive = { ...row, node_id: nodeId };
        const begun = await db.write((tx) => begin(tx, archive));
        if (begun === undefined) continue;
        const isFatal = begun > mostUnpackings;
        const work = (
          isFatal ? outcomes.fail(archive, noReceipt(), endsService) : unpacking.unpack(archive, () => !state.started)
        )
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

  /** Claims an archive; returns how many processes have begun to unpack it, or undefined if another node was first. */
  async function begin(tx: Tx, { id, unpackings }: ArchivesTable): Promise<number | undefined> {
    if (!(await claimArchive(tx, id, nodes.id))) return undefined;
    if (known.has(id)) return unpackings;
    known.add(id);
    return countUnpacking(tx, id, 1);
  }

  async function rest(): Promise<void> {
    await delay(retryPauseMs, undefined, { signal: state.ended.signal }).catch(() => undefined);
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
    progressOf: unpacking.progressOf,
  };
}
