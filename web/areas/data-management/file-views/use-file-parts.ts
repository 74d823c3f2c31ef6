import { useInfiniteQuery } from '@tanstack/react-query';
import type { DatasetFile } from '../../../api/schema.ts';
import { partBytes, readBytes } from './file-bytes.ts';

/** A file's bytes from its beginning; each `fetchNextPage` adds a part. */
export function useFileParts(file: DatasetFile, url: string) {
  return useInfiniteQuery({
    // The key has the id and a hash or time, so the content of an entry never changes.
    queryKey: ['file-bytes', url, file.updatedAt],
    initialPageParam: 0,
    queryFn: ({ pageParam }) => readBytes(url, pageParam, Math.min(file.fileSize, pageParam + partBytes)),
    getNextPageParam: (_last, pages) => {
      const read = pages.reduce((sum, part) => sum + part.length, 0);
      return read < file.fileSize ? read : undefined;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}
