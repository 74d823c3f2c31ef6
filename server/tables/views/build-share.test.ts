import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBuildShare, readBuildShare } from './build-share.ts';

test('the share of a build can be read while it reads, and is gone behind it', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-share-'));
  t.after(() => rm(directory, { recursive: true }));
  const indexPath = join(directory, 'a.index.new');
  const share = openBuildShare(indexPath);
  assert.equal(readBuildShare(indexPath), 0);
  share.reach(0.4);
  assert.equal(readBuildShare(indexPath), 0.4);
  share.end();
  assert.equal(readBuildShare(indexPath), 0);
});
