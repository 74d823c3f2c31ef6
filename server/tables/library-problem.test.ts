import assert from 'node:assert/strict';
import { test } from 'node:test';
import { libraryProblem } from './library-problem.ts';

test('paths of this machine and terms of memory are not told', () => {
  const told = (text: string): string => libraryProblem(new Error(text), 256 << 20).text;
  for (const [text, expected] of [
    [
      'Invalid Error: Prefetch registered for bytes outside file: /data/views/b.parquet.source, attempted range: [432108, 4295399403), file size: 432115',
      'Invalid Error: Prefetch registered for bytes outside file: the file, attempted range: [432108, 4295399403), file size: 432115',
    ],
    [
      `IO Error: No files found that match the pattern "/data/a b/c.parquet"`,
      'IO Error: No files found that match the pattern the file',
    ],
    [
      `Invalid Input Error: No magic bytes found at end of file '/data/x.parquet'\nsome advice`,
      'Invalid Input Error: No magic bytes found at end of the file',
    ],
    [
      'Out of Memory Error: failed to allocate data of size 16.0 KiB (511.9 MiB/512.0 MiB used)',
      'reading it needs more than 256 MiB of memory',
    ],
    [
      "Out of Memory Error: failed to offload data block of size 256.0 KiB (2.5 MiB/2.6 MiB used).\nThis limit was set by the 'max_temp_directory_size' setting.",
      'Could not write a file: No space left on device',
    ],
    [
      'Conversion Error: Could not convert 5 km/h and/or 1/2 at "text"',
      'Conversion Error: Could not convert 5 km/h and/or 1/2 at "text"',
    ],
  ] as const)
    assert.equal(told(text), expected);
});
