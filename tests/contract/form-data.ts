import { randomUUID } from 'node:crypto';

/** One part of a multipart form; a part with a `fileName` is a file. Names and values are sent unchanged. */
export type FormPart = {
  name: string;
  value: string | Buffer;
  fileName?: string;
  contentType?: string;
  /** Replaces the whole `Content-Disposition` line. */
  disposition?: string;
};

export type FormBody = { contentType: string; body: Buffer };

/** Writes a multipart/form-data body by hand, in the order given. */
export function toForm(parts: readonly FormPart[], boundary = `tilth-${randomUUID()}`): FormBody {
  const pieces: Buffer[] = [];
  for (const part of parts) {
    const disposition =
      part.disposition ??
      `form-data; name="${part.name}"${part.fileName === undefined ? '' : `; filename="${part.fileName}"`}`;
    const type = part.contentType ?? (part.fileName === undefined ? undefined : 'application/octet-stream');
    const head = `--${boundary}\r\nContent-Disposition: ${disposition}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`;
    pieces.push(Buffer.from(head), Buffer.from(part.value), Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces) };
}

/** The fields of a chunk call in the order of the API document. */
export type ChunkFields = {
  reqId: string;
  fileNo: number | string;
  fileName: string;
  totalChunkNum: number | string;
  chunkNo: number | string;
  bytes: Buffer | string;
  checkSumHex?: string;
};

export const chunkFieldOrder = [
  'reqId',
  'fileNo',
  'fileName',
  'totalChunkNum',
  'chunkNo',
  'checkSumHex',
  'file',
] as const;
export type ChunkFieldName = (typeof chunkFieldOrder)[number];

/** The form parts of a chunk call in any order; fields missing from the order are left out. */
export function chunkParts(fields: ChunkFields, order: readonly ChunkFieldName[] = chunkFieldOrder): FormPart[] {
  const parts: FormPart[] = [];
  for (const name of order) {
    if (name === 'file') parts.push({ name, value: Buffer.from(fields.bytes), fileName: 'blob' });
    else if (fields[name] !== undefined) parts.push({ name, value: String(fields[name]) });
  }
  return parts;
}
