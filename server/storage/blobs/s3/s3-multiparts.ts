import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { NoSuchUploadError, type ListedMultipart, type ObjectStore, type StoredPart } from './object-store.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { decodeCrc32, encodeCrc32 } from './s3-checksums.ts';
import { asObjectError, isPrecondition } from './s3-errors.ts';
import type { S3Objects } from './s3-objects.ts';

/** Multipart uploads of a bucket. */
export type S3Multiparts = Pick<
  ObjectStore,
  'startMultipart' | 'putPart' | 'copyPart' | 'listParts' | 'complete' | 'abort' | 'listMultiparts'
>;

export function createS3Multiparts(
  { client, name: bucket, prefix, full, place, call }: S3Bucket,
  { isWritten }: Pick<S3Objects, 'isWritten'>,
): S3Multiparts {
  return {
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
  };
}
