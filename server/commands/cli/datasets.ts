import { CliProblem, exitCodes, ServiceRefusal } from './cli-problem.ts';
import { apiPath, type ServiceClient } from './service-client.ts';

export type ListedDataset = {
  id: string;
  name: string;
  type: { code: string };
  fileCount: number;
  totalSize: number;
  version: number;
};

export type ListedFile = {
  id: string;
  filePath: string;
  fileSize: number;
  status: string;
  sha256: string | null;
};

type Page<T> = { content: T[]; last: boolean };

const pageSize = 1000;

/** All items of a list, page by page. */
export async function* listAll<T>(
  client: ServiceClient,
  parts: readonly string[],
  query: Readonly<Record<string, string | number | undefined>> = {},
): AsyncGenerator<T> {
  for (let page = 0; ; page += 1) {
    const { content, last } = await client.call<Page<T>>('GET', apiPath(parts, { ...query, page, size: pageSize }));
    yield* content;
    if (last) return;
  }
}

export const datasetsParts = ['data-management', 'datasets'];

/** Finds a dataset by its id or exact name. */
export async function getDataset(client: ServiceClient, idOrName: string): Promise<ListedDataset> {
  const byId = await findById<ListedDataset>(client, datasetsParts, idOrName);
  return byId ?? getByName(listAll<ListedDataset>(client, datasetsParts, { keyword: idOrName }), 'dataset', idOrName);
}

/** Like `getDataset`, but creates a dataset with that name if there is none. */
export async function getOrCreateDataset(
  client: ServiceClient,
  idOrName: string,
  onCreated: (name: string) => void,
): Promise<Pick<ListedDataset, 'id'>> {
  try {
    return await getDataset(client, idOrName);
  } catch (error) {
    if (!(error instanceof NoneOfThatName)) throw error;
    const created = await client.call<ListedDataset>('POST', apiPath(datasetsParts), {
      body: { json: { name: idOrName, type: 'TEXT' } },
    });
    onCreated(created.name);
    return created;
  }
}

/** The files of a dataset below a folder, ordered by path. */
export function listDatasetFiles(
  client: ServiceClient,
  datasetId: string,
  { prefix, version }: { prefix?: string; version?: number | undefined },
): AsyncGenerator<ListedFile> {
  return listAll(client, [...datasetsParts, datasetId, 'files'], {
    prefix: prefix === '' ? undefined : prefix,
    version,
  });
}

/** Finds an item by its id; undefined if there is none. */
export async function findById<T>(client: ServiceClient, parts: readonly string[], id: string): Promise<T | undefined> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return undefined;
  try {
    return await client.call<T>('GET', apiPath([...parts, id]));
  } catch (error) {
    if (error instanceof ServiceRefusal && error.status === 404) return undefined;
    throw error;
  }
}

/** No item has the name given by the user. */
class NoneOfThatName extends CliProblem {}

/** The single item with that name; throws if there is none or, since names need not be unique, more than one. */
export async function getByName<T extends { id: string; name: string }>(
  items: AsyncIterable<T>,
  noun: string,
  name: string,
): Promise<T> {
  const found: T[] = [];
  for await (const item of items) if (item.name === name) found.push(item);
  const [first, ...others] = found;
  if (first === undefined) throw new NoneOfThatName(`there is no ${noun} ${name}`, exitCodes.refused);
  if (others.length > 0)
    throw new CliProblem(
      `${found.length} ${noun}s are named ${name}; use the id of one: ${found.map((item) => item.id).join(', ')}`,
      exitCodes.refused,
    );
  return first;
}
