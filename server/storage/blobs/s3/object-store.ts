/** A part of a multipart upload as listed by the service; `crc32` only if the service records checksums. */
export type StoredPart = { partNo: number; etag: string; sizeBytes: number; crc32: number | undefined };

/** A part as it was sent, and as the service must have it. */
export type SentPart = { partNo: number; sizeBytes: number; crc32: number };

export type ListedObject = { key: string; sizeBytes: number; modifiedAt: Date };
export type ListedMultipart = { key: string; uploadId: string; startedAt: Date };

export type Multipart = { key: string; uploadId: string };

/**
 * What the blob store needs from an S3-compatible service; keys are relative to the folder of the installation. Calls are
 * retried a few times; a missing object throws an error with code ENOENT, any other failure an `AppError` for people.
 */
export type ObjectStore = {
  /** Never overwrites: an existing object with this key must have the same bytes, from a call whose reply was lost. */
  put(key: string, bytes: Uint8Array, crc32: number): Promise<void>;
  /** Fills `target` from `position` on; fewer bytes only at the end of the object. */
  read(key: string, target: Uint8Array, position: number): Promise<number>;
  find(key: string): Promise<{ sizeBytes: number; crc32: number | undefined } | undefined>;
  /** URL of the nearest folder enclosing the installation's that has an object of this name; folders without read access are skipped. */
  findAround(name: string): Promise<string | undefined>;
  remove(key: string): Promise<void>;
  /** Pages of all objects whose keys begin with `prefix`. */
  list(prefix: string): AsyncGenerator<ListedObject[]>;
  /** The names directly below a folder. */
  listNames(folder: string): Promise<string[]>;
  startMultipart(key: string): Promise<string>;
  putPart(upload: Multipart, partNo: number, bytes: Uint8Array, crc32: number): Promise<void>;
  /** The service itself copies bytes [from, to) of another object. */
  copyPart(upload: Multipart, partNo: number, source: { key: string; from: number; to: number }): Promise<void>;
  listParts(upload: Multipart): Promise<StoredPart[]>;
  /** Completes the object from its parts; the service checks size and CRC-32 of the whole, and never overwrites. */
  complete(upload: Multipart, parts: readonly StoredPart[], whole: { sizeBytes: number; crc32: number }): Promise<void>;
  abort(upload: Multipart): Promise<void>;
  listMultiparts(): AsyncGenerator<ListedMultipart[]>;
  /** Throws if the bucket can't be used at the moment. */
  check(): Promise<void>;
  close(): void;
};

/** The multipart upload is gone: completed or aborted by another process. */
export class NoSuchUploadError extends Error {
  override readonly name = 'NoSuchUploadError';
}

/** The service has bytes other than those sent. */
export class WrongPartsError extends Error {
  override readonly name = 'WrongPartsError';
}

export function missingObject(key: string, cause?: unknown): Error {
  return Object.assign(new Error(`ENOENT: no object ${key}`, { cause }), { code: 'ENOENT' });
}
