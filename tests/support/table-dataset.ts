import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { QueryResult } from '../../server/areas/data-management/schemas/dataset-queries.ts';
import type { FileRows } from '../../server/areas/data-management/schemas/file-rows.ts';
import type { File } from '../../server/areas/data-management/schemas/files.ts';
import type { RunningApp } from './server.ts';

/** A new dataset of a service, with the calls that read its tables. */
export type TableDataset = RunningApp & {
  /** Its address in the API. */
  at: string;
  /** Adds a file; returns its id. */
  upload(path: string, content: string | Uint8Array): Promise<string>;
  rows(fileId: string, query?: string): Promise<FileRows>;
  /** The values of one column. */
  column(fileId: string, name: string, query: string): Promise<unknown[]>;
  /** The rows of a SQL query. */
  query(sql: string): Promise<unknown[][]>;
  /** The same as a file of a format. */
  download(sql: string, format: string): Promise<Buffer>;
};

export async function newTableDataset(service: RunningApp): Promise<TableDataset> {
  const { api } = service;
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'd', type: 'TEXT' });
  const at = `/data-management/datasets/${dataset.id}`;
  // Otherwise the first index creates the folder.
  await mkdir(join(service.dataDir, 'views'), { recursive: true });
  const rows = async (fileId: string, query = ''): Promise<FileRows> => {
    const { status, body } = await api<FileRows>('GET', `${at}/files/${fileId}/rows?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return {
    ...service,
    at,
    async upload(path, content) {
      const form = new FormData();
      form.append('files', new Blob([new Uint8Array(Buffer.from(content))]), path);
      return (await api<File[]>('POST', `${at}/files/upload`, form)).body[0]?.id ?? '';
    },
    rows,
    column: async (fileId, name, query) =>
      (await rows(fileId, query)).content.map(({ values }) => values?.[name] ?? null),
    async query(sql) {
      const { status, body } = await api<QueryResult>('POST', `${at}/query`, { sql });
      assert.equal(status, 200, JSON.stringify(body));
      return body.rows;
    },
    async download(sql, format) {
      const answer = await fetch(`${service.url}/api/v1${at}/query/export`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ sql, format }),
      });
      return Buffer.from(await answer.arrayBuffer());
    },
  };
}
