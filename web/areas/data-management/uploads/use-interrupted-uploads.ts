import { useQuery } from '@tanstack/react-query';
import { uploadsStore, type InterruptedUpload } from './uploads-store.ts';
import { useUploads } from './use-uploads.ts';

/** Uploads waiting for their files to be chosen again, of one dataset or of all. */
export function useInterruptedUploads(datasetId?: string) {
  const uploads = useUploads();
  return useQuery({
    queryKey: ['interrupted-uploads', uploads.map(({ reqId }) => reqId)],
    queryFn: () => uploadsStore.interrupted(),
    // A failed query would show no uploads, although there may be some: try again.
    refetchInterval: ({ state }) => (state.status === 'error' ? 5_000 : false),
    select: (all: InterruptedUpload[]) =>
      datasetId === undefined ? all : all.filter((upload) => upload.datasetId === datasetId),
  });
}
