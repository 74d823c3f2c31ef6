import { api, dataOf } from '../../api/client.ts';
import { basePath } from '../../api/path-prefix.ts';
import type { Found } from '../../shell/area.ts';

/** Files are searched per dataset: in the open one, and in the most recently changed ones. */
const searchedDatasets = 8;

/** Finds files by a part of their name or path. */
export async function findFiles(keyword: string, size: number): Promise<readonly Found[]> {
  const { content } = await dataOf(
    api.GET('/api/v1/data-management/datasets', {
      params: { query: { size: searchedDatasets, sort: 'updatedAt,desc' } },
    }),
  );
  const names = new Map(content.map(({ id, name }) => [id, name]));
  const open = /^\/datasets\/([^/]+)/.exec(location.pathname.slice(basePath.length))?.[1];
  const ids = [...new Set([...(open === undefined ? [] : [open]), ...names.keys()])];
  const found = await Promise.all(ids.map((id) => filesOf(id, names.get(id), keyword, size)));
  return found.flat().slice(0, size);
}

async function filesOf(datasetId: string, name: string | undefined, keyword: string, size: number): Promise<Found[]> {
  const { content } = await dataOf(
    api.GET('/api/v1/data-management/datasets/{datasetId}/files', {
      params: { path: { datasetId }, query: { keyword, size } },
    }),
  );
  return content.map(({ id, filePath }) => ({
    id,
    label: filePath,
    description: name,
    to: `/datasets/${datasetId}/files/${id}`,
  }));
}
