import { useEffect, useState, useSyncExternalStore } from 'react';
import { uploadsStore } from './uploads-store.ts';
import type { Upload, UploadProgress } from './upload.ts';

const refreshMs = 250;

export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(uploadsStore.subscribe, uploadsStore.list);
}

/** How far an upload is, four times a second at most: ten thousand files make no more work for the page than one. */
export function useUploadProgress(upload: Upload): UploadProgress {
  const [progress, setProgress] = useState(() => upload.progress());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setProgress(upload.progress());
      }, refreshMs);
    };
    refresh();
    // The rate falls and the time left grows even while nothing arrives.
    const clock = setInterval(refresh, 1_000);
    const stop = upload.subscribe(refresh);
    return () => {
      stop();
      clearInterval(clock);
      clearTimeout(timer);
    };
  }, [upload]);
  return progress;
}
