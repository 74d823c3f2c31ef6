import { crc32 } from 'node:zlib';
import type { EventFeed, FeedEvent, FeedListener } from '../../../kernel/event-feed.ts';
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

type Follower = { listener: FeedListener; lastEventId: string | undefined };

export function createUploadEvents({
  uploads,
  unpacker,
  intervalMs = 500,
}: {
  uploads: Pick<Uploads, 'status'>;
  unpacker: Pick<ArchiveUnpacker, 'progressOf'>;
  /** Polling interval per followed upload, whatever the number of followers. */
  intervalMs?: number;
}): UploadEvents {
  const followed = new Map<string, Set<Follower>>();

  async function look(datasetId: string, uploadId: string): Promise<FeedEvent> {
    return eventOf(toProgress(await uploads.status(datasetId, uploadId), unpacker));
  }

  function watch(datasetId: string, uploadId: string, followers: Set<Follower>): void {
    const timer = setTimeout(() => void lookAgain(datasetId, uploadId, followers), intervalMs);
    timer.unref();
  }

  async function lookAgain(datasetId: string, uploadId: string, followers: Set<Follower>): Promise<void> {
    if (followers.size === 0) return;
    try {
      const event = await look(datasetId, uploadId);
      for (const follower of followers) tell(follower, event, followers);
    } catch {
      // Abandoned, expired, or temporarily unavailable: the client reconnects and gets the reason.
      for (const { listener } of followers) listener.end();
      followers.clear();
    }
    if (followers.size > 0) watch(datasetId, uploadId, followers);
    else forget(uploadId, followers);
  }

  /** A later follower starts a new watch: one without followers ends itself. */
  function forget(uploadId: string, followers: Set<Follower>): void {
    if (followed.get(uploadId) === followers) followed.delete(uploadId);
  }

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
        const followers = followed.get(uploadId) ?? new Set();
        if (followers.size === 0 && now.name !== 'end') {
          followed.set(uploadId, followers);
          watch(datasetId, uploadId, followers);
        }
        followers.add(follower);
        tell(follower, now, followers);
        return () => {
          followers.delete(follower);
          if (followers.size === 0) forget(uploadId, followers);
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
