// The data folder of each release, made by that release: this one opens it, every GET of every thing in it answers, and its
// tasks run again.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startApp, type RunningApp } from '../support/server.ts';
import { until } from '../support/until.ts';
import { callEveryGet, type Visit } from './every-get.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const releases = readdirSync(folder).flatMap((name) => /^(.*)\.tar\.gz$/.exec(name)?.[1] ?? []);
/** It had fewer areas. */
const firstRelease = '0.1.0';

type Run = {
  id: string;
  status: string;
  error: string | null;
  errorCode: string | null;
  counts: Record<string, number>;
};

test('each release has a data folder: node scripts/launch.mjs tests/releases/make.ts', () => {
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  const named = [...changelog.matchAll(/^## (\d\S*),/gm)].map(([, version = '']) => version);
  assert.deepEqual(releases.toSorted(), [firstRelease, ...named.toReversed()]);
});

for (const release of releases)
  test(`what ${release} stored is there, can be read, and runs again`, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tilth-release-'));
    execFileSync('tar', ['-xzf', join(folder, `${release}.tar.gz`), '-C', dataDir]);
    const service = await startApp(t, { dataDir });
    // After the service has closed, which still writes until then.
    t.after(() => rm(dataDir, { recursive: true }));
    const { visits, unvisited } = await callEveryGet(service);
    const refused = visits.filter(({ status, body }) => status >= 400 && !hasNoContent(body));
    assert.deepEqual(
      refused.map(({ path, body }) => [path, body]),
      [],
    );
    if (release !== firstRelease) assert.deepEqual(unvisited, [], 'there is something of each kind');
    checkDownloads(visits);
    await checkTasks(service, visits);
  });

/** Some files are not tables, and one document is damaged. */
function hasNoContent(body: unknown): boolean {
  const { error, errorCode = error } = body as { error: string; errorCode?: string };
  return ['NOT_A_TABLE', 'RAG_TEXT_NOT_READ'].includes(errorCode);
}

function checkDownloads(visits: readonly Visit[]): void {
  const downloads = visits.filter(({ path }) => /\/files\/[^/]+\/download$/.test(path));
  assert.ok(downloads.length >= 4, `${downloads.length} files`);
  for (const { path, bytes } of downloads) {
    const file = visits.find((visit) => visit.path === path.replace(/\/download$/, ''));
    assert.ok(file !== undefined, path);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), (file.body as { sha256: string }).sha256, path);
  }
}

/** Each cleaning task that has run gives the same counts again, or says which operator has changed since. */
async function checkTasks({ api }: RunningApp, visits: readonly Visit[]): Promise<void> {
  const runs = visits.flatMap(({ path, body }) => {
    const task = /^\/api\/v1(\/data-cleaning\/tasks\/[^/]+)\/runs\/[^/]+$/.exec(path)?.[1];
    return task === undefined ? [] : [{ task, before: (body as { data: Run }).data }];
  });
  assert.ok(runs.length > 0);
  for (const { task, before } of runs) {
    const { body: begun } = await api<{ data: Run }>('POST', `${task}/execute`, {});
    let run = begun.data;
    await until(async () => {
      run = (await api<{ data: Run }>('GET', `${task}/runs/${run.id}`)).body.data;
      return !['QUEUED', 'RUNNING'].includes(run.status);
    });
    if (run.errorCode === 'OTHER_VERSION') continue;
    assert.deepEqual([run.status, run.error, run.counts], ['COMPLETED', null, before.counts]);
  }
}
