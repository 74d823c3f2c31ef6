import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import type { DatasetFile, FilePreview } from '../../../api/schema.ts';
import { downloadUrl } from '../dataset-queries.ts';
import { decodeParts, partBytes, readBytes } from './file-bytes.ts';
import { isReadByService } from './file-kind.ts';

/** A file in a version of its dataset; without one, in the current version. */
export type ShownFile = { datasetId: string; file: DatasetFile; version: number | undefined };

/** The service detects the encoding from the first bytes. */
const headBytes = 64 * 1024;
/** Bytes that the service unpacks or converts: at first, and at most. */
const [firstBytes, mostBytes] = [1 << 20, 8 << 20];

/** The text of a file from its beginning. */
export type FileText = {
  /** Undefined until it is loaded, and for a file without text: then `problem` has the reason. */
  text: string | undefined;
  /** The layout of the text. */
  form: FilePreview['form'];
  /** How the rows of a delimited text are separated; null for any other form. */
  dialect: FilePreview['dialect'];
  encoding: string | null;
  /** Whether the bytes are a document's, whatever its name: the text is then extracted by the service. */
  isDocument: boolean;
  isWhole: boolean;
  /** Bytes of the file that were read; undefined if the text is not the file's bytes. */
  bytesRead: number | undefined;
  /** Why there is no text, or no more after it, as reported by the service. */
  problem: FilePreview | undefined;
  isLoading: boolean;
  error: Error | null;
  retry: () => void;
  /** Whether `readMore` can read more. */
  hasMore: boolean;
  isReadingMore: boolean;
  readMore: () => void;
};

/** What the service reports about a file's beginning. */
export function useFilePreview({ datasetId, file, version }: ShownFile, maxBytes: number) {
  return useQuery({
    // `updatedAt` is that of the content, which never changes within an entry.
    queryKey: ['file-preview', datasetId, file.id, version, file.updatedAt, maxBytes],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/files/{fileId}/preview', {
          params: {
            path: { datasetId, fileId: file.id },
            query: { maxBytes, ...(version === undefined ? {} : { version }) },
          },
          signal,
        }),
      ),
    // The present text stays while more is read.
    placeholderData: (previous, of) => (of?.queryKey[2] === file.id ? previous : undefined),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}

/**
 * The text of a file: its own bytes, read range by range, or what the service unpacks or converts. As `rows`, each
 * element of a JSON array is a line.
 */
export function useFileText(shown: ShownFile, as: 'rows' | 'text'): FileText {
  const { datasetId, file, version } = shown;
  const isByService = isReadByService(file) && (as === 'rows' || file.fileType !== 'json');
  const [maxBytes, setMaxBytes] = useState(isByService ? firstBytes : headBytes);
  const preview = useFilePreview(shown, maxBytes);
  const found = preview.data;
  const url = downloadUrl(datasetId, file.id, version);
  const parts = useInfiniteQuery({
    queryKey: ['file-bytes', url, file.updatedAt],
    initialPageParam: 0,
    queryFn: ({ pageParam }) => readBytes(url, pageParam, Math.min(file.fileSize, pageParam + partBytes)),
    getNextPageParam: (_last, pages) => {
      const read = pages.reduce((sum, part) => sum + part.length, 0);
      return read < file.fileSize ? read : undefined;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    enabled: !isByService,
  });
  const pages = parts.data?.pages;
  const bytesRead = pages?.reduce((sum, { length }) => sum + length, 0);
  const isWhole = bytesRead === file.fileSize;
  const encoding = found?.encoding;
  const text = useMemo(
    () => (pages === undefined || typeof encoding !== 'string' ? undefined : decodeParts(pages, encoding, isWhole)),
    [pages, encoding, isWhole],
  );
  const common = {
    form: found?.form ?? null,
    dialect: found?.dialect ?? null,
    encoding: encoding ?? null,
    problem: found !== undefined && found.problem !== null ? found : undefined,
    isDocument: found !== undefined && found.receipt !== null,
  };
  if (isByService) {
    const hasMore = found?.isWhole === false && found.problem === null && maxBytes < mostBytes;
    return {
      ...common,
      text: found?.text ?? undefined,
      isWhole: found?.isWhole ?? false,
      bytesRead: undefined,
      isLoading: found === undefined && !preview.isError,
      error: preview.error,
      retry: () => void preview.refetch(),
      hasMore,
      isReadingMore: preview.isPlaceholderData,
      readMore: () => setMaxBytes(mostBytes),
    };
  }
  return {
    ...common,
    text,
    isWhole,
    bytesRead,
    isLoading: (pages === undefined || found === undefined) && !parts.isError && !preview.isError,
    error: preview.error ?? parts.error,
    retry: () => void Promise.all([preview.refetch(), parts.refetch()]),
    hasMore: parts.hasNextPage,
    isReadingMore: parts.isFetchingNextPage,
    readMore: () => void parts.fetchNextPage(),
  };
}
