import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import type { DatasetFile } from '../../api/schema.ts';
import { datasetKeys } from './dataset-queries.ts';
import { kindOf, type FileKind } from './file-views/file-kind.ts';

const listed = 200;
const sampleOfType = 20;

/** File types that may hold tables. Compressed files may hold anything: only the first of each type are looked at. */
const tableTypes = ['jsonl', 'csv', 'tsv', 'parquet', 'parq', 'arrow', 'feather', 'gz', 'zst', 'bz2'];

/** Kinds of files in the order in which a dataset shows them. */
const order: readonly FileKind[] = ['table', 'image', 'document', 'text', 'audio', 'video', 'other'];

/** The previewable files of a dataset, those with rows first; `more` further ones are only in its list of files. */
export type Glance = { files: readonly DatasetFile[]; more: number };

export const firstFileQuery = (datasetId: string, version: number | undefined) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'glance', version],
    queryFn: async (): Promise<Glance> => {
      const list = (query: { size: number; fileType?: string }) =>
        dataOf(
          api.GET('/api/v1/data-management/datasets/{datasetId}/files', {
            params: {
              path: { datasetId },
              query: {
                sort: 'filePath,asc',
                status: 'COMPLETED',
                ...(version === undefined ? {} : { version }),
                ...query,
              },
            },
          }),
        );
      const first = await list({ size: listed });
      // A table may come after thousands of pictures.
      const tables =
        first.totalElements > first.content.length
          ? await Promise.all(tableTypes.map((fileType) => list({ size: sampleOfType, fileType })))
          : [];
      const all = [...first.content, ...tables.flatMap(({ content }) => content)];
      const files = [...new Map(all.map((file) => [file.id, file])).values()];
      const rank = (file: DatasetFile): number => order.indexOf(kindOf(file));
      return { files: files.sort((a, b) => rank(a) - rank(b)), more: first.totalElements - files.length };
    },
  });
