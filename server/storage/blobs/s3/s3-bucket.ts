import { S3Client } from '@aws-sdk/client-s3';
import { parseStorageUrl } from '../../../kernel/storage-url.ts';
import { asObjectError } from './s3-errors.ts';

export type S3Settings = {
  /** `s3://bucket/prefix`. */
  url: string;
  /** Address of a service that is not Amazon's. */
  endpoint?: string | undefined;
  region?: string | undefined;
  /** Milliseconds of silence before or during a response after which a call is aborted and retried. */
  stallMs?: number;
  /** Maximum attempts of one call. */
  maxAttempts?: number;
};

/** A bucket, and the folder in it to which an installation's keys are relative. */
export type S3Bucket = {
  client: S3Client;
  name: string;
  prefix: string;
  stallMs: number;
  maxAttempts: number;
  /** The key in the bucket. */
  full(key: string, folder?: string): string;
  place(key: string, folder?: string): { Bucket: string; Key: string };
  /** Translates errors of `work` into errors that name the object. */
  call<T>(key: string, work: () => Promise<T>): Promise<T>;
};

export function openS3Bucket(settings: S3Settings): S3Bucket {
  const { bucket: name, prefix } = parseStorageUrl(settings.url);
  const { endpoint, region, stallMs = 60_000, maxAttempts = 5 } = settings;
  const client = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(region === undefined ? (endpoint === undefined ? {} : { region: defaultRegion() }) : { region }),
    maxAttempts,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: Math.min(5_000, stallMs),
      // A limit on silence only: a large part on a slow line may take any time.
      socketTimeout: stallMs,
      httpAgent: { keepAlive: true, maxSockets: 128 },
      httpsAgent: { keepAlive: true, maxSockets: 128 },
    },
  });
  // The CRC-32 protects the bytes; a SHA-256 just for the signature would cost the event loop as much as everything else.
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      if (headers['x-amz-checksum-crc32'] !== undefined) headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      return next(args);
    },
    { step: 'build', name: 'unsignedChecksummedBody', priority: 'low' },
  );

  const full = (key: string, folder = prefix): string => folder + key.replaceAll('\\', '/');
  return {
    client,
    name,
    prefix,
    stallMs,
    maxAttempts,
    full,
    place: (key, folder) => ({ Bucket: name, Key: full(key, folder) }),
    async call(key, work) {
      try {
        return await work();
      } catch (error) {
        throw asObjectError(error, key);
      }
    },
  };
}

/** Services other than Amazon's have no regions, but the signature needs one. */
function defaultRegion(): string {
  return process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
}
