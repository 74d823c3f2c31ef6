import type { Clock } from '../../../kernel/clock.ts';
import type { Assembly, BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { noSignals, type Signals } from '../../../storage/database/signals.ts';
import type { UploadsTable } from '../../../storage/database/tables/uploads.ts';
import { createNumberRanges, type NumberRanges } from './number-ranges.ts';
import { findUpload, touchUploads } from '../queries/uploads.ts';
import type { CompletedFile } from './ready-file.ts';
import { countUploadFiles, listReceivingFiles } from '../queries/upload-files.ts';

/** A file whose chunks are arriving. */
export type ReceivingFile = {
  fileNo: number;
  fileName: string;
  path: string;
  totalChunks: number;
  assembly: Assembly;
  /** Numbers of the kept chunks. */
  received: NumberRanges;
  /** Chunks being kept whose bytes are already counted: number → bytes. */
  counted: Map<number, number>;
  /** Number of chunk calls that use it. */
  users: number;
  /** First bytes of chunk 1, if this process received them. */
  head: Buffer | undefined;
  /** Set once all chunks are received. */
  completion: Promise<CompletedFile> | undefined;
};

/** Whether a client sends checksums after the file, too late to be computed on the way: learnt from its first chunks. */
export type LateChecksums = 'unknown' | 'never' | 'possible';

/** The in-memory state of an upload in use; everything that matters can be rebuilt from the database. */
export type UploadSession = {
  readonly upload: UploadsTable;
  /** Whether other nodes receive chunks of it too: then the figures below are only those that this node has seen. */
  readonly isShared: boolean;
  /** Number of chunk calls exempt from the rate limit. */
  readonly allowedCalls: number;
  calls: number;
  /** How many of them are stored in the database. */
  savedCalls: number;
  /** Number of started files, including those being started now. */
  startedFiles: number;
  completedFiles: number;
  /** Bytes kept, and bytes being kept now. */
  receivedBytes: number;
  /** Numbers of files that have a row, and possibly more; undefined: query the database. */
  knownFiles: NumberRanges | undefined;
  /** Files in transition: wait for the promise (it never rejects) and look again. */
  readonly changing: Map<number, Promise<void>>;
  readonly receiving: Map<number, Promise<ReceivingFile>>;
  lateChecksums: LateChecksums;
  /** When other nodes were last notified of its progress. */
  hintedAtMs: number;
  activeAtMs: number;
  /** Time of the last recorded activity. */
  touchedAtMs: number;
  /** Abandoned or expired: accepts nothing any more. */
  ended: boolean;
  /** Number of chunk calls in progress. */
  users: number;
};

export type UploadFigures = Pick<UploadSession, 'startedFiles' | 'completedFiles' | 'receivedBytes'>;

export type UploadSessions = {
  /** The session of an upload, if it is in memory. */
  peek(uploadId: string): UploadSession | undefined;
  /** The session of an upload that has neither been abandoned nor expired. */
  find(uploadId: string): Promise<UploadSession | undefined>;
  /** Starts the session of an upload that was just stored. */
  begin(upload: UploadsTable): UploadSession;
  /** Records activity and notifies other nodes; written to the database now and then. */
  touch(session: UploadSession): void;
  /** The figures of an upload: from the session, or counted in the database if other nodes receive chunks as well. */
  count(session: UploadSession): Promise<UploadFigures>;
  /** Ends a session; calls in progress notice it. */
  end(uploadId: string): void;
  /** Writes activity that is recorded only in memory. */
  save(): Promise<void>;
};

const maxSessions = 1_000;
const maxKnownRuns = 10_000;
/** Shortest interval of progress notifications to other nodes, per upload. */
const hintEveryMs = 100;
const mebibyte = 1024 * 1024;

export function createUploadSessions({
  db,
  blobs,
  clock,
  chunkAllowance,
  isShared = false,
  signals = noSignals,
}: {
  db: Database;
  blobs: BlobStore;
  clock: Clock;
  chunkAllowance: boolean;
  /** Whether other nodes can receive chunks of the same uploads. */
  isShared?: boolean;
  signals?: Signals;
}): UploadSessions {
  const touchEveryMs = isShared ? 5_000 : 60_000;
  // Least recently used first.
  const sessions = new Map<string, UploadSession>();
  const loading = new Map<string, Promise<UploadSession | undefined>>();
  let saving: Promise<void> | undefined;

  function remember(session: UploadSession): void {
    sessions.delete(session.upload.id);
    sessions.set(session.upload.id, session);
    if (sessions.size <= maxSessions) return;
    for (const [id, oldest] of sessions) {
      if (oldest.users > 0 || oldest === session) continue;
      // This loses at most a minute of idle time and a few calls of the allowance.
      sessions.delete(id);
      break;
    }
  }

  async function load(uploadId: string): Promise<UploadSession | undefined> {
    const upload = await findUpload(db.read, uploadId);
    if (upload === undefined) return undefined;
    const session = toSession(upload, undefined);
    Object.assign(session, await countIn(uploadId));
    // Other nodes have counted theirs.
    if (!isShared) session.calls = Math.max(upload.calls, session.completedFiles);
    return session;
  }

  async function countIn(uploadId: string): Promise<UploadFigures> {
    const { started, completed, completedBytes } = await countUploadFiles(db.scan, uploadId);
    let receivedBytes = completedBytes;
    for (let from = 0; ;) {
      const files = await listReceivingFiles(db.scan, uploadId, from, 1_000);
      for (const { assembly_id } of files) {
        const assembly = assembly_id === null ? undefined : await blobs.findAssembly(assembly_id);
        receivedBytes += assembly?.receivedBytes ?? 0;
      }
      const last = files.at(-1);
      if (last === undefined) break;
      from = last.file_no + 1;
    }
    return { startedFiles: started, completedFiles: completed, receivedBytes };
  }

  function toSession(upload: UploadsTable, knownFiles: NumberRanges | undefined): UploadSession {
    const activeAtMs = Date.parse(upload.active_at);
    return {
      upload,
      isShared,
      allowedCalls: chunkAllowance ? upload.total_file_num + 2 * Math.ceil(upload.total_size_bytes / mebibyte) : 0,
      calls: upload.calls,
      savedCalls: upload.calls,
      hintedAtMs: 0,
      startedFiles: 0,
      completedFiles: 0,
      receivedBytes: 0,
      knownFiles,
      changing: new Map(),
      receiving: new Map(),
      lateChecksums: 'unknown',
      activeAtMs,
      touchedAtMs: activeAtMs,
      ended: false,
      users: 0,
    };
  }

  async function save(dueBeforeMs: number): Promise<void> {
    const due = [...sessions.values()].filter(
      (session) => session.touchedAtMs <= dueBeforeMs && session.activeAtMs > session.touchedAtMs,
    );
    if (due.length === 0) return;
    const touches = due.map(({ upload, activeAtMs, calls, savedCalls }) => ({
      upload_id: upload.id,
      active: new Date(activeAtMs).toISOString(),
      more_calls: calls - savedCalls,
    }));
    const before = due.map((session) => session.touchedAtMs);
    for (const session of due) session.touchedAtMs = session.activeAtMs;
    try {
      const stored = await db.write((tx) => touchUploads(tx, touches));
      for (const [index, session] of due.entries()) {
        const own = session.savedCalls + (touches[index]?.more_calls ?? 0);
        // Calls received by other nodes count as well.
        const all = Math.max(own, stored.get(session.upload.id) ?? own);
        session.calls += all - own;
        session.savedCalls = all;
      }
    } catch (error) {
      for (const [index, session] of due.entries()) session.touchedAtMs = before[index] ?? 0;
      throw error;
    }
  }

  return {
    peek(uploadId) {
      const session = sessions.get(uploadId);
      if (session !== undefined) remember(session);
      return session;
    },

    async find(uploadId) {
      const known = sessions.get(uploadId);
      if (known !== undefined) {
        remember(known);
        return known.ended ? undefined : known;
      }
      let promise = loading.get(uploadId);
      if (promise === undefined) {
        promise = load(uploadId).then((session) => {
          if (session !== undefined) remember(session);
          return session;
        });
        loading.set(uploadId, promise);
        void promise.catch(() => {}).then(() => loading.delete(uploadId));
      }
      return promise;
    },

    begin(upload) {
      const session = toSession(upload, createNumberRanges());
      remember(session);
      return session;
    },

    touch(session) {
      session.activeAtMs = clock.now().getTime();
      if (isShared && session.activeAtMs - session.hintedAtMs >= hintEveryMs) {
        session.hintedAtMs = session.activeAtMs;
        signals.send('upload-changed', session.upload.id);
      }
      if (session.activeAtMs - session.touchedAtMs < touchEveryMs || saving !== undefined) return;
      // Not awaited: a lost update costs a little idle time.
      saving = save(session.activeAtMs - touchEveryMs)
        .catch(() => {})
        .finally(() => (saving = undefined));
    },

    count: async (session) => (session.isShared ? countIn(session.upload.id) : session),

    end(uploadId) {
      const forget = (session: UploadSession | undefined): void => {
        if (session !== undefined) session.ended = true;
        sessions.delete(uploadId);
      };
      forget(sessions.get(uploadId));
      // A session being loaded may have been read before the end.
      loading.get(uploadId)?.then(forget, () => {});
    },

    async save() {
      await saving;
      await save(Infinity);
    },
  };
}

/** Records that a file number may have a row from now on. */
export function noteFile(session: UploadSession, fileNo: number): void {
  session.knownFiles?.add(fileNo);
  // The numbers are too scattered: query the database instead.
  if (session.knownFiles !== undefined && session.knownFiles.runs > maxKnownRuns) session.knownFiles = undefined;
}
