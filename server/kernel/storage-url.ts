/** Bucket and folder of an installation in an object store. */
export type StorageLocation = { bucket: string; prefix: string };

/** Reads `s3://bucket/prefix`; throws an Error that says what the text must be. */
export function parseStorageUrl(text: string): StorageLocation {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9!_.*'()/-]*))?$/.exec(text);
  const prefix = (match?.[2] ?? '').replace(/\/+$/, '');
  if (
    match?.[1] === undefined ||
    prefix.split('/').some((part) => part === '.' || part === '..') ||
    /^\/|\/\//.test(prefix)
  )
    throw new Error('must be s3://bucket or s3://bucket/folder');
  return { bucket: match[1], prefix: prefix === '' ? '' : `${prefix}/` };
}
