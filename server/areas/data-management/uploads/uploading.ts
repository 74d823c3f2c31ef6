import type { Clock } from '../../../kernel/clock.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Nodes } from '../../../nodes/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import { noSignals, type Signals } from '../../../storage/database/signals.ts';
import { freeingSpace } from '../../../storage/disk-space/index.ts';
import { createArchiveUnpacker } from '../archives/archive-unpacker.ts';
import { createArchiveUploads, type ArchiveUploads } from '../archives/archive-uploads.ts';
import { createBackgroundTask } from '../../../kernel/background-task.ts';
import { createAssembledChunks } from './assembled-chunks.ts';
import { createChunkSinks } from './chunk-sinks.ts';
import { createFileCompletion } from './file-completion.ts';
import { createFileGroups, type FileGroups } from './file-groups.ts';
import type { FileCommits } from '../files/file-commits.ts';
import { createReceivingFiles } from './receiving-files.ts';
import { createRepeatedChunks } from './repeated-chunks.ts';
import { createSingleChunkFiles } from './single-chunk-files.ts';
import { createSpools } from '../archives/spools.ts';
import { createStagedEntries } from '../archives/staged-entries.ts';
import { createUploadChunks, type UploadChunks } from './upload-chunks.ts';
import { createUploadCommitter } from './upload-committer.ts';
import { createUploadEvents, type UploadEvents } from './upload-events.ts';
import { createUploadExpiry } from './upload-expiry.ts';
import { createUploadSessions } from './upload-sessions.ts';
import { defaultUploadSettings, type UploadSettings } from '../upload-settings.ts';
import { createStrandedAssemblies } from './stranded-assemblies.ts';
import { createUploads, type Uploads } from './uploads.ts';
import { createWholeChunks, type WholeChunks } from './whole-chunks.ts';
import { createWholeFileUploads, type WholeFileUploads } from './whole-file-uploads.ts';

/** All ways to upload files over HTTP, and their background work. */
export type Uploading = {
  uploads: Uploads;
  uploadEvents: UploadEvents;
  chunks: UploadChunks;
  wholeChunks: WholeChunks;
  fileGroups: FileGroups;
  wholeFiles: WholeFileUploads;
  archives: ArchiveUploads;
  /** Erases what a crash left and starts the background work. */
  start(): void;
  /** Stops it; unfinished work continues at the next start. */
  stop(): Promise<void>;
};

/** What uploads need to work with other nodes. */
export type UploadCluster = {
  nodes: Pick<Nodes, 'id'>;
  signals: Signals;
};

function alone(): UploadCluster {
  return { nodes: { id: newId() }, signals: noSignals };
}

const sweepEveryMs = 60_000;

export function createUploading({
  db,
  blobs,
  commits,
  clock,
  onError,
  cluster = alone(),
  settings: given = {},
}: {
  db: Database;
  blobs: BlobStore;
  commits: FileCommits;
  clock: Clock;
  /** Called when background work fails. */
  onError(error: unknown, task: string): void;
  /** The other nodes over the same database. */
  cluster?: UploadCluster;
  settings?: Partial<UploadSettings>;
}): Uploading {
  const { nodes, signals } = cluster;
  // Chunks of an upload may arrive on any node.
  const isShared = blobs.shared !== undefined && db.dialect === 'postgres';
  const settings: UploadSettings = { ...defaultUploadSettings, ...given };
  const stagedEntries = createStagedEntries({ db, blobs, nodes });
  const spools = createSpools({ db, blobs, stagedEntries });
  const strandedAssemblies = createStrandedAssemblies({ db, blobs });
  const sessions = createUploadSessions({
    db,
    blobs,
    clock,
    chunkAllowance: settings.chunkAllowance,
    isShared,
    signals,
  });
  const expiry = createUploadExpiry({ db, blobs, clock, sessions, settings, signals });
  let isCleared = false;
  const sweep = createBackgroundTask({
    everyMs: sweepEveryMs,
    work: (signal) =>
      freeingSpace(async () => {
        await eraseLeftovers(signal);
        await expiry.sweep(signal);
        // Pick up archives of nodes that have died since.
        unpacker.wake();
      }),
    onError: (error) => onError(error, 'erasing what is left of uploads'),
  });

  /** Leftovers of an earlier process, and of calls that lost the database before they could clean up. */
  async function eraseLeftovers(signal: AbortSignal): Promise<void> {
    await stagedEntries.eraseLeftovers(signal);
    if (isCleared) return;
    await strandedAssemblies.erase(signal);
    isCleared = true;
  }
  const unpacker = createArchiveUnpacker({
    db,
    blobs,
    commits,
    clock,
    stagedEntries,
    settings,
    nodes,
    signals,
    onError,
  });
  function onArchives(): void {
    unpacker.wake();
    signals.send('archive-added', '');
  }
  const committer = createUploadCommitter({ db, blobs, commits, clock, onArchives });
  const files = createReceivingFiles({ db, blobs });
  const repeats = createRepeatedChunks({ db, blobs });
  const completion = createFileCompletion({ committer, repeats });
  const singles = createSingleChunkFiles({ db, blobs, repeats, committer });
  const sinks = createChunkSinks({
    files,
    repeats,
    singles,
    assembled: createAssembledChunks({ files, completion }),
  });
  const uploads = createUploads({
    db,
    blobs,
    clock,
    sessions,
    files,
    completion,
    settings,
    onAbandoned(uploadId) {
      signals.send('upload-ended', uploadId);
      sweep.wake();
    },
  });
  let forget: (() => void) | undefined;
  return {
    uploads,
    uploadEvents: createUploadEvents({ uploads, unpacker, signals }),
    wholeChunks: createWholeChunks({ sessions, singles, settings }),
    chunks: createUploadChunks({ db, blobs, spools, sessions, sinks, settings }),
    fileGroups: createFileGroups({ db, sessions, sinks, settings }),
    wholeFiles: createWholeFileUploads({ db, blobs, commits, settings }),
    archives: createArchiveUploads({ db, blobs, commits, spools, stagedEntries, settings }),
    start() {
      // Jobs of an earlier process start over: their staged entries are among the leftovers.
      sweep.start();
      unpacker.start();
      forget = signals.on('upload-ended', (uploadId) => sessions.end(uploadId));
    },
    async stop() {
      forget?.();
      await sweep.stop();
      await unpacker.stop();
      await committer.idle();
      await sessions.save();
    },
  };
}
