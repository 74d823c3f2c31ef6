import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { crc32 } from 'node:zlib';
import { chunkFieldOrder, chunkParts, toForm, type ChunkFields } from '../../contract/form-data.ts';
import type { Caller } from '../caller.ts';
import type { Send } from './plan.ts';

export type ChunkBody = {
  error?: string;
  receivedChunks: number;
  fileCompleted: boolean;
  uploadCompleted: boolean;
  file?: { id: string; filePath: string; fileSize: number };
};
export type ChunkAnswer = { status: number; body: ChunkBody };

/** The target of the chunks. */
export type ChunkTarget = {
  service: { readonly url: string; readonly token: string };
  caller: Caller;
  datasetId: string;
};

const fileFirst = ['file', ...chunkFieldOrder.filter((name) => name !== 'file')] as const;
const mostTries = 3;

/** Sends a chunk as planned; undefined when it was cut off. Retries when the service asks for it. */
export async function sendChunk(
  { service, caller, datasetId }: ChunkTarget,
  fields: Omit<ChunkFields, 'checkSumHex' | 'bytes'> & { bytes: Buffer },
  send: Pick<Send, 'kind' | 'checksum' | 'fileFirst' | 'part'>,
): Promise<ChunkAnswer | undefined> {
  const checkSumHex = checksumOf(fields.bytes, send);
  const form = chunkParts(
    { ...fields, ...(checkSumHex === undefined ? {} : { checkSumHex }) },
    send.fileFirst ? fileFirst : chunkFieldOrder,
  );
  const path = `/datasets/${datasetId}/files/upload/chunk`;
  if (send.kind === 'cut') {
    await sendAndCut(service, `/api/v1/data-management${path}`, toForm(form), send.part);
    return undefined;
  }
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await caller.call('POST', path, { form });
    if (outcome.kind !== 'answer') throw new Error(`A chunk had no answer (${outcome.kind})`);
    if (outcome.status !== 503 || attempt === mostTries)
      return { status: outcome.status, body: outcome.json() as ChunkBody };
  }
}

function checksumOf(bytes: Buffer, { kind, checksum }: Pick<Send, 'kind' | 'checksum'>): string | undefined {
  if (checksum === 'none') return kind === 'bad-checksum' ? 'a'.repeat(40) : undefined;
  const right =
    checksum === 'crc32'
      ? crc32(bytes).toString(16).padStart(8, '0')
      : createHash(checksum).update(bytes).digest('hex');
  if (kind !== 'bad-checksum') return checksum === 'md5' ? right.toUpperCase() : right;
  return right.slice(0, -1) + (right.endsWith('0') ? '1' : '0');
}

/** Sends a part of the request, never the whole, then disconnects. */
async function sendAndCut(
  service: { readonly url: string; readonly token: string },
  path: string,
  { contentType, body }: ReturnType<typeof toForm>,
  part: number,
): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const head =
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${service.token}\r\n` +
    `Content-Type: ${contentType}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const length = Math.floor(part * (body.length - 1));
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, length)]), () => socket.destroy());
    });
    socket.on('error', reject).on('close', () => resolve());
  });
}
