import { crc32 } from 'node:zlib';
import type { EventFeed, FeedEvent, FeedListener } from '../../../kernel/event-feed.ts';
import { noSignals, type Signals } from '../../../storage/database/signals.ts';
import type { ArchiveUnpacker } from '../archives/archive-unpacker.ts';
import type { UploadProgress } from '../schemas/upload-events.ts';
import type { UploadStatus } from '../schemas/uploads.ts';
import type { Uploads } from './uploads.ts';

/**
 * Publishes the events of uploads: `progress` when something has changed, and finally `end`, when all files are complete and no
 * archive is being unpacked. An event's id is derived from its content, so it means the same after a restart.
 */
export type UploadEvents = {
  /** Events after a given one, or all; undefined when that event was the end. Throws DATASET_NOT_FOUND, UPLOAD_NOT_FOUND. */
  follow(datasetId: string, uploadId: string, lastEventId: string | undefined): Promise<EventFeed | undefined>;
};

/** The followers of an upload, and the timer of the next check. */
type Watch = { datasetId: string; followers: Set<Follower>; timer: NodeJS.Timeout | undefined };

type Follower = { listener: FeedListener; lastEventId: string | undefined };

/** Hints that arrive within this time cause one check. */
const hintMs = 10;

export function createUploadEvents({
  uploads,
  unpacker,
  signals = noSignals,
  intervalMs = 500,
}: {
  uploads: Pick<Uploads, 'status'>;
  unpacker: Pick<ArchiveUnpacker, 'progressOf'>;
  /** Hints about chunks that other nodes have received. */
  signals?: Signals;
  /** Polling interval per followed upload, whatever the number of followers. */
  intervalMs?: number;
}): UploadEvents {
  const followed = new Map<string, Watch>();

  async function look(datasetId: string, uploadId: string): Promise<FeedEvent> {
    return eventOf(toProgress(await uploads.status(datasetId, uploadId), unpacker));
  }

  function lookIn(uploadId: string, watch: Watch, pauseMs: number): void {
    clearTimeout(watch.timer);
    watch.timer = setTimeout(() => {
      watch.timer = undefined;
      void lookAgain(uploadId, watch);
    }, pauseMs).unref();
  }

  async function lookAgain(uploadId: string, watch: Watch): Promise<void> {
    const { followers } = watch;
    if (followers.size === 0) return;
    try {
      const event = await look(watch.datasetId, uploadId);
      for (const follower of followers) tell(follower, event, followers);
    } catch {
      // Abandoned, expired, or temporarily unavailable: the client reconnects and gets the reason.
      for (const { listener } of followers) listener.end();
      followers.clear();
    }
    if (followers.size > 0) lookIn(uploadId, watch, intervalMs);
    else forget(uploadId, watch);
  }

  /** A later follower starts a new watch: one without followers ends itself. */
  function forget(uploadId: string, watch: Watch): void {
    if (followed.get(uploadId) === watch) followed.delete(uploadId);
  }

  signals.on('upload-changed', (uploadId) => {
    const watch = followed.get(uploadId);
    // Without a timer a check is in progress; the next one sees what is new now.
    if (watch?.timer !== undefined) lookIn(uploadId, watch, hintMs);
  });

  function tell(follower: Follower, event: FeedEvent, followers: Set<Follower>): void {
    if (follower.lastEventId !== event.id) {
      follower.lastEventId = event.id;
      void follower.listener.send(event);
    }
    if (event.name !== 'end') return;
    followers.delete(follower);
    follower.listener.end();
  }

  return {
    async follow(datasetId, uploadId, lastEventId) {
      const now = await look(datasetId, uploadId);
      if (now.name === 'end' && now.id === lastEventId) return undefined;
      return (listener) => {
        const follower: Follower = { listener, lastEventId };
        const watch: Watch = followed.get(uploadId) ?? { datasetId, followers: new Set(), timer: undefined };
        const { followers } = watch;
        if (followers.size === 0 && now.name !== 'end') {
          followed.set(uploadId, watch);
          lookIn(uploadId, watch, intervalMs);
        }
        followers.add(follower);
        tell(follower, now, followers);
        return () => {
          followers.delete(follower);
          if (followers.size === 0) forget(uploadId, watch);
        };
      };
    },
  };
}

function toProgress(status: UploadStatus, unpacker: Pick<ArchiveUnpacker, 'progressOf'>): UploadProgress {
  const { reqId, uploadCompleted, totalFileNum, completedFiles, totalSize, receivedBytes } = status;
  const archives = status.archives.map((archive) =>
    archive.status === 'PROCESSING' ? { ...archive, ...unpacker.progressOf(reqId, archive.fileNo) } : archive,
  );
  return { reqId, uploadCompleted, totalFileNum, completedFiles, totalSize, receivedBytes, archives };
}

function eventOf(progress: UploadProgress): FeedEvent {
  const isOver = progress.uploadCompleted && progress.archives.every(({ status }) => status !== 'PROCESSING');
  const data = JSON.stringify(progress);
  return { id: crc32(data).toString(16).padStart(8, '0'), name: isOver ? 'end' : 'progress', data };
}
