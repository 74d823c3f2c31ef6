// `node scripts/launch.mjs tests/releases/make.ts`: packs a data folder of this release, with something of each kind in it, as
// tests/releases/VERSION.tar.gz. Later releases must be able to read it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApp, type RunningApp } from '../support/server.ts';
import { until } from '../support/until.ts';
import { fill } from '../web/places.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const folder = mkdtempSync(join(tmpdir(), 'tilth-release-'));
const [dataDir, sources] = [join(folder, 'data'), join(folder, 'sources')];
mkdirSync(sources);
writeFileSync(join(sources, 'a.jsonl'), '{"text":"one"}\n{"text":"two"}\n');
const ends: (() => Promise<void>)[] = [];
const app = await startApp(
  { after: (end) => ends.push(end) },
  { dataDir, settings: { TILTH_COLLECTION_ROOTS: sources } },
);
await fillAll(app);
for (const end of ends) await end();
const archive = fileURLToPath(new URL(`${version}.tar.gz`, import.meta.url));
execFileSync('tar', ['--sort=name', '--exclude=./lock', '-czf', archive, '-C', dataDir, '.']);
rmSync(folder, { recursive: true });
console.log(archive);

async function fillAll(service: RunningApp): Promise<void> {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await service.api<T>(method, path, body);
    assert.ok(answer.status < 400, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { dataset } = await fill(service);
  await call('POST', '/auth/users', { username: 'erika', password: 'a long password', role: 'EDITOR' });
  await call('POST', '/auth/api-keys', { name: 'script' });
  await call('POST', '/data-management/tags', { name: 'soil', color: '#22aa44' });
  await call('POST', '/data-cleaning/templates', {
    name: 'White space',
    steps: [{ operatorId: 'whitespace-normalizer' }],
  });
  await call('POST', '/data-cleaning/profile', {
    sourceDatasetId: dataset,
    operators: [{ operatorId: 'text-length-filter' }],
  });
  await call('POST', `/data-management/datasets/${dataset}/files/upload/pre-upload`, {
    totalFileNum: 1,
    totalSize: 6,
    hasArchive: false,
  });
  const { data: task } = await call<{ data: { id: string } }>('POST', '/data-collection/tasks', {
    name: 'Folder',
    connector: { type: 'local-folder', config: { path: sources } },
  });
  await call('POST', `/data-collection/tasks/${task.id}/execute`, {});
  await until(async () => {
    const { data } = await call<{ data: { content: { status: string }[] } }>('GET', '/runs?size=100');
    return data.content.every(({ status }) => status !== 'QUEUED' && status !== 'RUNNING');
  });
}
