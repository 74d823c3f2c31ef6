import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createMetrics } from './metrics.ts';

async function figures(): Promise<Map<string, number>> {
  const lines = (await createMetrics().render()).split('\n').filter((line) => /^[a-z0-9_]+ /.test(line));
  return new Map(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
}

const kinds = ['', 'min_', 'max_', 'mean_', 'stddev_', 'p50_', 'p90_', 'p99_'];

test('the metrics of the process are right at the first look and at two in a row', async () => {
  const { user, system } = process.cpuUsage();
  for (const look of ['first', 'second']) {
    const found = await figures();
    for (const kind of kinds) {
      const value = found.get(`tilth_nodejs_eventloop_lag_${kind}seconds`);
      assert.ok(value !== undefined && value >= 0 && value < 600, `${look}: ${kind} ${value}`);
    }
    const cpu = (kind: string): number => found.get(`tilth_process_cpu_${kind}seconds_total`) ?? Number.NaN;
    assert.ok(cpu('') >= (user + system) / 1e6, 'the CPU time of starting up is counted');
    assert.ok(Math.abs(cpu('user_') + cpu('system_') - cpu('')) < 1e-3);
  }
});

test('a held loop is seen as lag, a free one is not', async () => {
  await figures();
  const until = performance.now() + 300;
  await setTimeout(20);
  while (performance.now() < until);
  await setTimeout(20);
  const found = await figures();
  const max = found.get('tilth_nodejs_eventloop_lag_max_seconds') ?? 0;
  const min = found.get('tilth_nodejs_eventloop_lag_min_seconds') ?? 0;
  assert.ok(max > 0.2, String(max));
  assert.ok(min < max / 2, String(min));
});
