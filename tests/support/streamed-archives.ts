// Archives as the bodies of calls, and what a dataset then contains.
import type { RunningApp } from './server.ts';

type Answer = {
  error?: string;
  message: string;
  files: number;
  bytes: number;
  failed: number;
  failures: { path: string; reason: string }[];
};
export type Listed = { id: string; filePath: string; fileSize: number; status: string; error: string | null };

/** Creates a dataset; returns its address. */
export async function newDataset(app: RunningApp): Promise<string> {
  const { body } = await app.api<{ id: string }>('POST', '/data-management/datasets', { name: 'a', type: 'TEXT' });
  return `/data-management/datasets/${body.id}`;
}

/** Sends an archive as the body of one call. */
export function sendArchive(app: RunningApp, dataset: string, archive: Buffer, query: string) {
  return app.api<Answer>('POST', `${dataset}/files/upload/stream?${query}`, new Uint8Array(archive));
}

export async function listFiles(app: RunningApp, dataset: string): Promise<Listed[]> {
  const { body } = await app.api<{ content: Listed[] }>('GET', `${dataset}/files?size=1000`);
  return body.content;
}

/** Path → content of all files. */
export async function contentsOf(app: RunningApp, dataset: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const file of await listFiles(app, dataset)) {
    const { body } = await app.api<Buffer>('GET', `${dataset}/files/${file.id}/download`);
    found[file.filePath] = Buffer.from(body).toString();
  }
  return found;
}
