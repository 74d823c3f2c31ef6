import type { Clock } from '../../../kernel/clock.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { noSignals, type Signals } from '../../../storage/database/signals.ts';
import type { UploadsTable } from '../../../storage/database/tables/uploads.ts';
import { countUpload, saveActivity } from './session-storage.ts';
import type { UploadFigures, UploadSession } from './upload-session.ts';
import { createNumberRanges, type NumberRanges } from './number-ranges.ts';
import { findUpload } from '../queries/uploads.ts';

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
    Object.assign(session, await countUpload({ db, blobs }, uploadId));
    // Other nodes have counted theirs.
    if (!isShared) session.calls = Math.max(upload.calls, session.completedFiles);
    return session;
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
      saving = saveActivity(db, sessions.values(), session.activeAtMs - touchEveryMs)
        .catch(() => {})
        .finally(() => (saving = undefined));
    },

    count: async (session) => (session.isShared ? countUpload({ db, blobs }, session.upload.id) : session),

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
      await saveActivity(db, sessions.values(), Infinity);
    },
  };
}
