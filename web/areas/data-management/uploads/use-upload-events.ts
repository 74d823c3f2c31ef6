import { useEffect, useEffectEvent, useState } from 'react';
import { statusOf, type UploadStatus } from './uploads-store.ts';
import { addressOf } from '../../../api/path-prefix.ts';

/** What an event tells of an upload: a part of its status. */
export type UploadProgressEvent = Pick<UploadStatus, 'uploadCompleted' | 'archives'>;

const silentMs = 10_000;

/**
 * Follows what becomes of an upload's archives by server-sent events, which the browser takes up again by itself where they
 * broke off; undefined until the first comes. `onUnpacked` hears when the last archive is done with.
 */
export function useUploadEvents(
  datasetId: string,
  reqId: string,
  onUnpacked: () => void,
): UploadProgressEvent | undefined {
  const [progress, setProgress] = useState<UploadProgressEvent>();
  const unpacked = useEffectEvent(onUnpacked);
  useEffect(() => {
    const source = new EventSource(
      addressOf(
        `/api/v1/data-management/datasets/${encodeURIComponent(datasetId)}/files/upload/${encodeURIComponent(reqId)}/events`,
      ),
    );
    let isOver = false;
    const end = (): void => {
      isOver = true;
      source.close();
      clearInterval(poll);
    };
    const take = (next: UploadProgressEvent): void => {
      setProgress(next);
      if (!next.uploadCompleted || next.archives.some(({ status }) => status === 'PROCESSING')) return;
      end();
      if (next.archives.length > 0) unpacked();
    };
    const hear = ({ data }: MessageEvent<string>): void => take(JSON.parse(data) as UploadProgressEvent);
    source.addEventListener('progress', hear);
    source.addEventListener('end', hear);
    // Without events, as behind a proxy that holds them back, the page still moves.
    const poll = setInterval(() => {
      if (isOver) return;
      // Given up or expired: nothing more will be told of it.
      statusOf(datasetId, reqId, 0).then(take, (error: { status?: number }) => error.status === 404 && end());
    }, silentMs);
    return end;
  }, [datasetId, reqId]);
  return progress;
}
