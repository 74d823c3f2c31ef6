import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runClusterOf } from './cluster-settings.ts';
import { loadConfig, SettingError } from './config.ts';

const shared = {
  TILTH_DATABASE_URL: 'postgresql://db.example.org/tilth',
  TILTH_STORAGE_URL: 's3://bucket/tilth',
  TILTH_SECRETS_KEY: 'ab'.repeat(32),
};

test('a cluster is refused without what its processes share, each of which is named', () => {
  const ray = { TILTH_RAY_URL: 'http://head:8265' };
  assert.notEqual(runClusterOf(loadConfig({ ...shared, ...ray }), {}), undefined);
  assert.equal(runClusterOf(loadConfig(shared), {}), undefined);
  for (const missing of Object.keys(shared)) {
    const others = Object.entries({ ...shared, ...ray }).filter(([name]) => name !== missing);
    assert.throws(
      () => runClusterOf(loadConfig(Object.fromEntries(others)), {}),
      (error: unknown) =>
        error instanceof SettingError &&
        error.message.startsWith('TILTH_RAY_URL requires storage that all processes of a cluster share: set ') &&
        Object.keys(shared).every((name) => error.message.includes(name) === (name === missing)),
      missing,
    );
  }
});

test('work that takes less memory of a node than its worker may use is refused', () => {
  const settingsOf = (own: Record<string, string>) =>
    loadConfig({ ...shared, TILTH_RAY_URL: 'http://head:8265', TILTH_RUN_WORKER_MEMORY_MB: '2048', ...own });
  assert.throws(() => runClusterOf(settingsOf({}), {}), {
    name: 'SettingError',
    message: /^TILTH_RAY_TASK_MEMORY_MB \(1536\) must be more than TILTH_RUN_WORKER_MEMORY_MB \(2048\)/,
  });
  for (const memory of ['0', '3072'])
    assert.notEqual(runClusterOf(settingsOf({ TILTH_RAY_TASK_MEMORY_MB: memory }), {}), undefined);
});
