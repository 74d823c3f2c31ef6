import { documentProblems, foreign, type Reason } from '../kernel/sentences/index.ts';

/** How the library reports that it could not allocate memory. */
const memoryWords = /Out of Memory|could not allocate|failed to allocate|bad_alloc/i;

/** How it reports a full disk when spilling: we set no limit, so by default it uses nearly all free space. */
const spillWords = /max_temp_directory_size/;

/** A file path on this machine: in quotes, or up to a character that continues the sentence. */
const quotedPath = /(?:\bfile )?(?:"[^"\n]*\/[^"\n]*"|'[^'\n]*\/[^'\n]*')/gi;
const plainPath = /(?:\bfile )?(?<![\w/])\/(?:[^\s/"',;]+\/)+[^\s/"',;:)]*/gi;

/** The library's error message in plain words: without advice, local paths, or the library's own terms for memory. */
export function libraryProblem(error: unknown, memoryBytes: number): Reason {
  const message = error instanceof Error ? error.message : String(error);
  if (spillWords.test(message)) return foreign('Could not write a file: No space left on device');
  if (memoryWords.test(message)) return documentProblems.READING_NEEDS_MEMORY.reason({ limit: memoryBytes >> 20 });
  const [first = ''] = message.split('\n');
  return foreign(first.replaceAll(quotedPath, 'the file').replaceAll(plainPath, 'the file'));
}
