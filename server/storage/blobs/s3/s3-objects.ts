import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { ObjectStore } from './object-store.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { decodeCrc32, encodeCrc32 } from './s3-checksums.ts';
import { asObjectError, isRangeBeyondEnd, isRefused } from './s3-errors.ts';

/** Whole objects of a bucket. */
export type S3Objects = Pick<ObjectStore, 'put' | 'read' | 'find' | 'findAround' | 'remove' | 'list' | 'listNames'> & {
  /** After a refused overwrite or a lost upload: whether the existing object is the intended one. */
  isWritten(key: string, sizeBytes: number, crc32: number): Promise<boolean>;
};

const pageSize = 1000;

export function createS3Objects({
  client,
  name: bucket,
  prefix,
  stallMs,
  maxAttempts,
  full,
  place,
  call,
}: S3Bucket): S3Objects {
  async function find(
    key: string,
    folder = prefix,
  ): Promise<{ sizeBytes: number; crc32: number | undefined } | undefined> {
    try {
      const head = await client.send(new HeadObjectCommand({ ...place(key, folder), ChecksumMode: 'ENABLED' }));
      // A "composite" checksum covers the checksums of the parts, not the bytes.
      const isOfBytes = head.ChecksumType !== 'COMPOSITE' && head.ChecksumCRC32?.includes('-') !== true;
      return { sizeBytes: head.ContentLength ?? 0, crc32: isOfBytes ? decodeCrc32(head.ChecksumCRC32) : undefined };
    } catch (error) {
      const known = asObjectError(error, key);
      if ('code' in known && known.code === 'ENOENT') return undefined;
      throw known;
    }
  }

  async function isWritten(key: string, sizeBytes: number, crc32: number): Promise<boolean> {
    const found = await find(key);
    return found?.sizeBytes === sizeBytes && (found.crc32 === undefined || found.crc32 === crc32);
  }

  /** One ranged read; returns the number of bytes received before the end of the object or a failure. */
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
        // Written by an attempt whose reply was lost; a service may also abort the next attempt instead of refusing it.
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
    isWritten,
  };
}

/** The enclosing folder; for `a/` it is the whole bucket. */
function outer(folder: string): string | undefined {
  return folder === '' ? undefined : folder.replace(/[^/]*\/$/, '');
}
