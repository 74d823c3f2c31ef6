// A large file in chunks of 8 MiB, for benchmarks of uploads.
import { open } from 'node:fs/promises';
import { crc32 } from '../server/kernel/crc32.ts';
import { prepareChunk, sendAll } from './prepared-requests.ts';
import { createDataset, postJson, type RunningService } from './running-service.ts';

export const chunkBytes = 8 * 1024 ** 2;

export type Uploaded = { datasetPath: string; fileId: string; seconds: number; lastMs: number; averageMs: number };

/** Sends the file into its own dataset. In every order, chunks that share a buffer are never in flight together. */
export async function upload(
  service: RunningService,
  { chunkAt, checksums }: Content,
  order: readonly number[],
  parallel: number,
): Promise<Uploaded> {
  const chunkCount = order.length;
  const datasetPath = await createDataset(service);
  const begun = performance.now();
  const reqId = await postJson(
    `${datasetPath}/files/upload/pre-upload`,
    { totalFileNum: 1, totalSize: chunkCount * chunkBytes, chunkSize: chunkBytes },
    service.headers,
  );
  const url = `${datasetPath}/files/upload/chunk`;
  const { answers } = await sendAll(Number(new URL(url).port), parallel, chunkCount, (index) => {
    const chunk = order[index] ?? 0;
    const fields = {
      reqId: String(reqId),
      fileNo: 1,
      fileName: 'file.bin',
      totalChunkNum: chunkCount,
      chunkNo: chunk + 1,
      checkSumHex: checksums[chunk] ?? '',
    };
    return prepareChunk(url, service.headers, fields, chunkAt(chunk));
  });
  const seconds = (performance.now() - begun) / 1000;
  const last = answers.find(({ body }) => body.includes('"fileCompleted":true'));
  if (last === undefined) throw new Error('The file was never complete');
  const { id } = (JSON.parse(last.body) as { file: { id: string } }).file;
  const others = answers.filter((answer) => answer !== last);
  const averageMs = others.reduce((sum, { durationMs }) => sum + durationMs, 0) / others.length;
  return { datasetPath, fileId: id, seconds, lastMs: last.durationMs, averageMs };
}

/** Unique chunks: a few buffers, each stamped with a number. Only those in flight need to exist. */
export type Content = { chunkAt(chunk: number): Buffer; checksums: readonly string[] };

export function createContent(chunkCount: number): Content {
  const buffers = Array.from({ length: 8 }, (_, buffer) => {
    const words = new Uint32Array(chunkBytes / 4).map((_, word) => Math.imul(word + buffer, 2_654_435_761));
    return Buffer.from(words.buffer);
  });
  const chunkAt = (chunk: number): Buffer => {
    const bytes = buffers[chunk % buffers.length] ?? Buffer.alloc(chunkBytes);
    bytes.writeUInt32LE(chunk);
    return bytes;
  };
  const checksums = Array.from({ length: chunkCount }, (_, chunk) =>
    crc32(chunkAt(chunk)).toString(16).padStart(8, '0'),
  );
  return { chunkAt, checksums };
}

export async function writeSource(path: string, content: Content): Promise<void> {
  const file = await open(path, 'w');
  for (const chunk of content.checksums.keys()) await file.write(content.chunkAt(chunk));
  await file.close();
}

export async function removeDataset({ headers }: RunningService, datasetPath: string): Promise<void> {
  const answer = await fetch(datasetPath, { method: 'DELETE', headers });
  if (!answer.ok) throw new Error(`The dataset could not be deleted: ${answer.status}`);
}
