import { parseStorageUrl } from '../kernel/storage-url.ts';
import { integer, optionalText, text } from './setting-types.ts';

/** Where data is, and how much room it may take. */
export const storageSettings = {
  dataDir: text('TILTH_DATA_DIR', './data', {
    section: 'Storage',
    sentence: 'Folder in which the service stores all its data; only one running service per folder.',
  }),
  databaseUrl: optionalText('TILTH_DATABASE_URL', {
    section: 'Storage',
    type: 'postgres:// URL',
    sentence:
      'PostgreSQL database for the metadata; unset: SQLite in the data folder. Nodes that share one each have their own data folder and serve only the bytes that they received, unless an object store holds the bytes; see docs/beyond-one-machine.md.',
    secret: true,
    check(text) {
      if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) throw new Error('must be a postgres:// URL');
    },
  }),
  storageUrl: optionalText('TILTH_STORAGE_URL', {
    section: 'Storage',
    type: 's3://bucket/folder',
    sentence:
      'Bucket of an S3-compatible object store, and a folder in it, for the bytes of files; unset: the data folder. To move existing files there, use migrate-to; see docs/object-storage.md.',
    check(text) {
      parseStorageUrl(text);
    },
  }),
  storageEndpoint: optionalText('TILTH_STORAGE_ENDPOINT', {
    section: 'Storage',
    type: 'http:// or https:// URL',
    sentence:
      'Address of the object store if it is not Amazon S3. Credentials are read from the same places as by the AWS tools.',
    check(text) {
      if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new Error('must be an http:// or https:// URL');
    },
  }),
  storageRegion: optionalText('TILTH_STORAGE_REGION', {
    section: 'Storage',
    type: 'text',
    sentence: 'Region of the bucket; unset: that of the AWS tools.',
  }),
  storageScratchMb: integer('TILTH_STORAGE_SCRATCH_MB', 20_480, {
    section: 'Storage',
    sentence:
      'Disk space in MiB in the data folder for temporary local copies of files, if an object store holds them.',
    min: 64,
    max: 1024 * 1024 * 1024,
  }),
  diskReserveMb: integer('TILTH_DISK_RESERVE_MB', 128, {
    section: 'Storage',
    sentence:
      'Disk space in MiB reserved in the data folder, so that data can still be deleted when the disk is full; 0 reserves none.',
    min: 0,
    max: 1024 * 1024,
  }),
  lowDiskSpaceMb: integer('TILTH_LOW_DISK_SPACE_MB', 1024, {
    section: 'Storage',
    sentence: 'Free disk space in MiB below which /readyz, the metrics and the web application warn.',
    min: 0,
    max: 1024 * 1024,
  }),
  databaseWaitSeconds: integer('TILTH_DATABASE_WAIT_SECONDS', 30, {
    section: 'Storage',
    sentence: 'Seconds to wait for PostgreSQL to become reachable before startup fails.',
    min: 0,
    max: 3600,
  }),
} as const;
