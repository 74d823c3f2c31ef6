import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFullDisk } from './full-disk.ts';
import { libraryProblem } from './library-problem.ts';

test('a full disk is told from what a statement or a table is refused with', () => {
  for (const problem of [
    'Could not write a file: No space left on device',
    'IO Error: Could not write file the file: No space left on device',
    'ENOSPC: no space left on device, write',
    // Data that fits neither into memory nor on the disk.
    libraryProblem(
      new Error(
        "Out of Memory Error: failed to offload data block of size 256.0 KiB (0 bytes/0 bytes used).\nThis limit was set by the 'max_temp_directory_size' setting.",
      ),
      256 << 20,
    ).text,
  ])
    assert.equal((findFullDisk(problem) as { code?: string } | undefined)?.code, 'ENOSPC', problem);
  for (const problem of ['Table with name ENOSPC does not exist', 'the line is not JSON: No space left on device'])
    assert.equal(findFullDisk(problem), undefined, problem);
});
