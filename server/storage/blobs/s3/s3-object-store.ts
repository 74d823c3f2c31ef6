import { setTimeout as pause } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { NoSuchUploadError, type ListedMultipart, type ObjectStore, type StoredPart } from './object-store.ts';
import { asObjectError, isPrecondition, isRangeBeyondEnd, isRefused, objectStoreFailed } from './s3-errors.ts';
import { parseStorageUrl } from '../../../kernel/storage-url.ts';

export type S3Settings = {
  /** `s3://bucket/prefix`. */
  url: string;
  /** Address of a service that is not Amazon's. */
  endpoint?: string | undefined;
  region?: string | undefined;
  /** Milliseconds without an answer, or without a byte of one, after which a call is cut and tried again. */
  stallMs?: number;
  /** Tries of one call. */
  maxAttempts?: number;
};

const pageSize = 1000;

/** Connects to S3; credentials come from where Amazon's tools look for them (environment, files, instance roles). */
export function createS3ObjectStore(settings: S3Settings): ObjectStore {
  const { bucket, prefix } = parseStorageUrl(settings.url);
  const { endpoint, region, stallMs = 60_000, maxAttempts = 5 } = settings;
  const client = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(region === undefined ? (endpoint === undefined ? {} : { region: defaultRegion() }) : { region }),
    maxAttempts,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: Math.min(5_000, stallMs),
      // Of silence: a large part on a slow line takes as long as it takes.
      socketTimeout: stallMs,
      httpAgent: { keepAlive: true, maxSockets: 128 },
      httpsAgent: { keepAlive: true, maxSockets: 128 },
    },
  });
  // The CRC-32 protects the bytes; a SHA-256 of them for the signature alone would cost the event loop as much as all the rest.
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      if (headers['x-amz-checksum-crc32'] !== undefined) headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      return next(args);
    },
    { step: 'build', name: 'unsignedChecksummedBody', priority: 'low' },
  );

  const full = (key: string, folder = prefix): string => folder + key.replaceAll('\\', '/');
  const place = (key: string, folder = prefix): { Bucket: string; Key: string } => ({
    Bucket: bucket,
    Key: full(key, folder),
  });

  async function call<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asObjectError(error, key);
    }
  }

  async function find(
    key: string,
    folder = prefix,
  ): Promise<{ sizeBytes: number; crc32: number | undefined } | undefined> {
    try {
      const head = await client.send(new HeadObjectCommand({ ...place(key, folder), ChecksumMode: 'ENABLED' }));
      // A checksum of checksums of parts ("composite") is none of the bytes.
      const isOfBytes = head.ChecksumType !== 'COMPOSITE' && head.ChecksumCRC32?.includes('-') !== true;
      return { sizeBytes: head.ContentLength ?? 0, crc32: isOfBytes ? decodeCrc32(head.ChecksumCRC32) : undefined };
    } catch (error) {
      const known = asObjectError(error, key);
      if ('code' in known && known.code === 'ENOENT') return undefined;
      throw known;
    }
  }

  /** After a refused overwrite, or an upload that is gone: whether the object is the one that was to be written. */
  async function isWritten(key: string, sizeBytes: number, crc32: number): Promise<boolean> {
    const found = await find(key);
    return found?.sizeBytes === sizeBytes && (found.crc32 === undefined || found.crc32 === crc32);
  }

  /** One ranged read; returns how much came before the end of the object or the failure. */
  async function readOnce(
    key: string,
    target: Uint8Array,
    position: number,
  ): Promise<{ filled: number; failure: unknown }> {
    const cut = new AbortController();
    let timer = setTimeout(() => cut.abort(), stallMs);
    let filled = 0;
    try {
      const range = `bytes=${position}-${position + target.length - 1}`;
      const answer = await client.send(new GetObjectCommand({ ...place(key), Range: range }), {
        abortSignal: cut.signal,
      });
      if (position > 0 && answer.ContentRange === undefined) throw new Error('The object store ignores ranges');
      const wanted = Math.min(target.length, answer.ContentLength ?? target.length);
      for await (const piece of answer.Body as AsyncIterable<Uint8Array>) {
        clearTimeout(timer);
        timer = setTimeout(() => cut.abort(), stallMs);
        const bytes = piece.subarray(0, wanted - filled);
        target.set(bytes, filled);
        filled += bytes.length;
        if (filled === wanted) break;
      }
      return { filled, failure: filled < wanted ? new Error('The answer was cut') : undefined };
    } catch (error) {
      if (isRangeBeyondEnd(error)) return { filled, failure: undefined };
      return { filled, failure: error };
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async put(key, bytes, crc32) {
      try {
        await client.send(
          new PutObjectCommand({ ...place(key), Body: bytes, ChecksumCRC32: encodeCrc32(crc32), IfNoneMatch: '*' }),
        );
      } catch (error) {
        // Written by a try whose answer was lost; a service may also cut the next try instead of refusing it.
        if (!(await isWritten(key, bytes.length, crc32).catch(() => false))) throw asObjectError(error, key);
      }
    },
    async read(key, target, position) {
      let filled = 0;
      for (let attempt = 1; filled < target.length; attempt++) {
        const got = await readOnce(key, target.subarray(filled), position + filled);
        filled += got.filled;
        if (got.failure === undefined) break;
        const known = asObjectError(got.failure, key);
        const isFinal = isRefused(known) || ('code' in known && known.code === 'ENOENT');
        if (isFinal || attempt >= maxAttempts) throw known;
        await pause(Math.random() * 100 * 2 ** attempt);
      }
      return filled;
    },
    find: (key) => find(key),
    async findAround(name) {
      for (let folder = outer(prefix); folder !== undefined; folder = outer(folder)) {
        try {
          if ((await find(name, folder)) !== undefined) return `s3://${bucket}/${folder}`.replace(/\/$/, '');
        } catch (error) {
          if (!isRefused(error)) throw error;
        }
      }
      return undefined;
    },
    remove: (key) =>
      call(key, async () => {
        await client.send(new DeleteObjectCommand(place(key)));
      }),
    async *list(from) {
      for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
        const page = await call(from, () =>
          client.send(
            new ListObjectsV2Command({
              Bucket: bucket,
              Prefix: full(from),
              MaxKeys: pageSize,
              ContinuationToken: token,
            }),
          ),
        );
        yield (page.Contents ?? []).map(({ Key = '', Size = 0, LastModified = new Date() }) => ({
          key: Key.slice(prefix.length),
          sizeBytes: Size,
          modifiedAt: LastModified,
        }));
        token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      }
    },
    async listNames(folder) {
      const names: string[] = [];
      const parent = full(`${folder}/`);
      for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
        const page = await call(folder, () =>
          client.send(
            new ListObjectsV2Command({ Bucket: bucket, Prefix: parent, Delimiter: '/', ContinuationToken: token }),
          ),
        );
        for (const { Key = '' } of page.Contents ?? []) names.push(Key.slice(parent.length));
        for (const { Prefix = '' } of page.CommonPrefixes ?? []) names.push(Prefix.slice(parent.length, -1));
        token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      }
      return names;
    },
    startMultipart: (key) =>
      call(key, async () => {
        const { UploadId } = await client.send(
          new CreateMultipartUploadCommand({ ...place(key), ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' }),
        );
        if (UploadId === undefined) throw new Error('The object store gave the upload no id');
        return UploadId;
      }),
    putPart: ({ key, uploadId }, partNo, bytes, crc32) =>
      call(key, async () => {
        await client.send(
          new UploadPartCommand({
            ...place(key),
            UploadId: uploadId,
            PartNumber: partNo,
            Body: bytes,
            ChecksumCRC32: encodeCrc32(crc32),
          }),
        );
      }),
    copyPart: ({ key, uploadId }, partNo, source) =>
      call(key, async () => {
        await client.send(
          new UploadPartCopyCommand({
            ...place(key),
            UploadId: uploadId,
            PartNumber: partNo,
            CopySource: `${bucket}/${encodeURI(full(source.key))}`,
            CopySourceRange: `bytes=${source.from}-${source.to - 1}`,
          }),
        );
      }),
    async listParts({ key, uploadId }) {
      const parts: StoredPart[] = [];
      for (let marker: string | undefined, isFirst = true; isFirst || marker !== undefined; isFirst = false) {
        const page = await call(key, () =>
          client.send(new ListPartsCommand({ ...place(key), UploadId: uploadId, PartNumberMarker: marker })),
        );
        for (const { PartNumber = 0, ETag = '', Size = 0, ChecksumCRC32 } of page.Parts ?? [])
          parts.push({ partNo: PartNumber, etag: ETag, sizeBytes: Size, crc32: decodeCrc32(ChecksumCRC32) });
        marker = page.IsTruncated === true ? page.NextPartNumberMarker : undefined;
      }
      return parts;
    },
    async complete({ key, uploadId }, parts, { sizeBytes, crc32 }) {
      try {
        await client.send(
          new CompleteMultipartUploadCommand({
            ...place(key),
            UploadId: uploadId,
            MultipartUpload: {
              Parts: parts.map((part) => ({
                PartNumber: part.partNo,
                ETag: part.etag,
                ...(part.crc32 === undefined ? {} : { ChecksumCRC32: encodeCrc32(part.crc32) }),
              })),
            },
            ChecksumCRC32: encodeCrc32(crc32),
            ChecksumType: 'FULL_OBJECT',
            IfNoneMatch: '*',
          }),
        );
      } catch (error) {
        const known = asObjectError(error, key);
        if (!isPrecondition(error) && !(known instanceof NoSuchUploadError)) throw known;
        if (!(await isWritten(key, sizeBytes, crc32))) throw known;
      }
    },
    async abort({ key, uploadId }) {
      try {
        await client.send(new AbortMultipartUploadCommand({ ...place(key), UploadId: uploadId }));
      } catch (error) {
        const known = asObjectError(error, key);
        const isGone = known instanceof NoSuchUploadError || ('code' in known && known.code === 'ENOENT');
        if (!isGone) throw known;
      }
    },
    async *listMultiparts() {
      let keyMarker: string | undefined;
      let idMarker: string | undefined;
      for (let isMore = true; isMore;) {
        const page = await call('', () =>
          client.send(
            new ListMultipartUploadsCommand({
              Bucket: bucket,
              Prefix: prefix,
              ...(keyMarker === undefined ? {} : { KeyMarker: keyMarker }),
              ...(idMarker === undefined ? {} : { UploadIdMarker: idMarker }),
            }),
          ),
        );
        const uploads: ListedMultipart[] = (page.Uploads ?? []).map(({ Key = '', UploadId = '', Initiated }) => ({
          key: Key.slice(prefix.length),
          uploadId: UploadId,
          startedAt: Initiated ?? new Date(),
        }));
        yield uploads;
        isMore = page.IsTruncated === true && page.NextKeyMarker !== undefined;
        keyMarker = page.NextKeyMarker;
        idMarker = page.NextUploadIdMarker;
      }
    },
    async check() {
      try {
        await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }), {
          abortSignal: AbortSignal.timeout(5_000),
        });
      } catch (error) {
        throw objectStoreFailed(error);
      }
    },
    close: () => client.destroy(),
  };
}

/** The folder around a folder; that around `a/` is the whole bucket. */
function outer(folder: string): string | undefined {
  return folder === '' ? undefined : folder.replace(/[^/]*\/$/, '');
}

/** Services other than Amazon's have no regions; the signature needs one all the same. */
function defaultRegion(): string {
  return process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
}

function encodeCrc32(crc32: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32);
  return bytes.toString('base64');
}

function decodeCrc32(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 4 ? bytes.readUInt32BE() : undefined;
}
