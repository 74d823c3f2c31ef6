import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import type { DiskFigures } from './disk-metrics.ts';
import { addHealthRoutes } from './health.ts';
import { createMetrics } from './metrics.ts';

const free = { freeBytes: 7, totalBytes: 100, freeInodes: null, reserve: { state: 'HELD', sizeBytes: 1 } };
const keyProblem = 'set TILTH_SECRETS_KEY';

async function readiness(state: DiskFigures['state'], problem?: string): Promise<unknown> {
  const app = Fastify();
  addHealthRoutes(app, {
    metrics: createMetrics(),
    metricsAccess: 'PUBLIC',
    checks: {},
    isLeaving: () => false,
    measureDisk: async () => ({ state, ...free }),
    findKeyProblem: async () => problem,
  });
  const { statusCode, body } = await app.inject('/readyz');
  assert.equal(statusCode, 200);
  return JSON.parse(body);
}

test('a service is ready, or degraded by its disk, by a missing key, or by both', async () => {
  assert.deepEqual(await readiness('OK'), { status: 'ready' });
  const low = 'Disk space is running low; delete data, or give the data folder a larger disk';
  assert.deepEqual(await readiness('LOW'), {
    status: 'degraded',
    disk: { state: 'LOW', freeBytes: 7, message: low },
  });
  assert.deepEqual(await readiness('OK', keyProblem), { status: 'degraded', secrets: keyProblem });
  const both = (await readiness('FULL', keyProblem)) as { disk: { message: string } };
  assert.match(both.disk.message, /^The disk is full: only deletions are served/);
  assert.deepEqual(both, {
    status: 'degraded',
    secrets: keyProblem,
    disk: { ...both.disk, state: 'FULL', freeBytes: 7 },
  });
});
