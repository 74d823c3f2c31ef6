import { useEffect, useState, useSyncExternalStore } from 'react';
import { uploadsStore } from './uploads-store.ts';
import type { Upload, UploadProgress } from './upload.ts';

const refreshMs = 250;

export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(uploadsStore.subscribe, uploadsStore.list);
}

/** Active uploads; also updated when one ends. */
export function useRunningUploads(): readonly Upload[] {
  const uploads = useUploads();
  const [running, setRunning] = useState(() => uploads.filter(isRunning));
  useEffect(() => {
    const look = (): void =>
      setRunning((old) => {
        const now = uploads.filter(isRunning);
        return now.length === old.length && now.every((upload, index) => upload === old[index]) ? old : now;
      });
    look();
    const stops = uploads.map((upload) => upload.subscribe(look));
    return () => {
      for (const stop of stops) stop();
    };
  }, [uploads]);
  return running;
}

function isRunning(upload: Upload): boolean {
  return upload.progress().state === 'running';
}

/** Progress of an upload, updated at most four times a second: ten thousand files load the page no more than one. */
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
    // The rate falls and the remaining time grows even while nothing arrives.
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
