import { useEffect, useEffectEvent, useState } from 'react';
import { statusOf, type UploadStatus } from './uploads-store.ts';
import { addressOf } from '../../../api/path-prefix.ts';

/** The content of an event: a part of the upload's status. */
export type UploadProgressEvent = Pick<UploadStatus, 'uploadCompleted' | 'archives'>;

const silentMs = 10_000;

/**
 * Follows the unpacking of an upload's archives by server-sent events, which the browser resumes by itself after an
 * interruption; undefined until the first event. `onUnpacked` is called when the last archive is finished.
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
    // Without events, as behind a proxy that buffers them, the page still updates.
    const poll = setInterval(() => {
      if (isOver) return;
      // Discarded or expired: no more events will come.
      statusOf(datasetId, reqId, 0).then(take, (error: { status?: number }) => error.status === 404 && end());
    }, silentMs);
    return end;
  }, [datasetId, reqId]);
  return progress;
}
