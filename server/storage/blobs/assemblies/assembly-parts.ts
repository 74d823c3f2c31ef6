import type { AssemblyFiles } from './assembly-files.ts';
import type { BlobReads } from '../blob-reader.ts';
import type { Logger } from '../blob-store-options.ts';
import type { AssemblyJournal } from './assembly-journal.ts';
import type { Eraser } from '../files/eraser.ts';
import type { OpenFiles } from '../files/open-files.ts';
import type { StoreParts } from '../store-parts.ts';

/** What all assemblies of a store share. */
export type AssemblyParts = StoreParts & {
  journal: AssemblyJournal;
  files: AssemblyFiles;
  openFiles: OpenFiles;
  reads: BlobReads;
  eraser: Eraser;
  logger: Logger;
  nextBesideNo(): number;
  /** The machine's current boot id, stored with new chunks; '' if unknown. */
  bootId: string;
  /** Number of the data folder if several services may share the database. */
  folderNo: number | undefined;
};
