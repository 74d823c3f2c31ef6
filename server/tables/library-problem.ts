import { documentProblems } from '../kernel/sentences.ts';

/** What the library of tables says of memory that it could not get. */
const memoryWords = /Out of Memory|could not allocate|failed to allocate|bad_alloc/i;

/** Of what it keeps on the disk beside its memory: we set no limit, and by default it takes nearly all that is free. */
const spillWords = /max_temp_directory_size/;

/** A file of this machine: between quotes, or as long as no character ends it that a sentence goes on with. */
const quotedPath = /(?:\bfile )?(?:"[^"\n]*\/[^"\n]*"|'[^'\n]*\/[^'\n]*')/gi;
const plainPath = /(?:\bfile )?(?<![\w/])\/(?:[^\s/"',;]+\/)+[^\s/"',;:)]*/gi;

/** The message of an error of the library as people understand it: without advice, paths of this machine, and its own terms of memory. */
export function libraryProblem(error: unknown, memoryBytes: number): string {
  const message = error instanceof Error ? error.message : String(error);
  if (spillWords.test(message)) return 'Could not write a file: No space left on device';
  if (memoryWords.test(message)) return documentProblems.READING_NEEDS_MEMORY({ limit: memoryBytes >> 20 });
  const [first = ''] = message.split('\n');
  return first.replaceAll(quotedPath, 'the file').replaceAll(plainPath, 'the file');
}
