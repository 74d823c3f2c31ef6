import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { ObjectStore } from './object-store.ts';
import { openS3Bucket, type S3Settings } from './s3-bucket.ts';
import { objectStoreFailed } from './s3-errors.ts';
import { createS3Multiparts } from './s3-multiparts.ts';
import { createS3Objects } from './s3-objects.ts';

/** Connects to S3; credentials are looked up as Amazon's tools do (environment, files, instance roles). */
export function createS3ObjectStore(settings: S3Settings): ObjectStore {
  const bucket = openS3Bucket(settings);
  const { client, name, prefix } = bucket;
  const { isWritten, ...objects } = createS3Objects(bucket);
  return {
    ...objects,
    ...createS3Multiparts(bucket, { isWritten }),
    async check() {
      try {
        await client.send(new ListObjectsV2Command({ Bucket: name, Prefix: prefix, MaxKeys: 1 }), {
          abortSignal: AbortSignal.timeout(5_000),
        });
      } catch (error) {
        throw objectStoreFailed(error);
      }
    },
    close: () => client.destroy(),
  };
}
