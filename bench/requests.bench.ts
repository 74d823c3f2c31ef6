// GET of a dataset, with credential, limits and a database read, against bare Fastify returning the same bytes: wrk
// with 32 connections, server and client on one core each. The service logs each request, as by default.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printMachine } from './machine.ts';
import type { CpuTimes } from './cpu-times.ts';
import { comparePairs, microsecondsPerCall } from './pairs.ts';
import { curl, missingPrograms, startServer, startService } from './running-service.ts';
import { requestRate } from './wrk.ts';

/** Length of a run; short enough not to reach the limits below. */
const seconds = 2;
/** Warm-up per side: V8 keeps optimizing the code of a call for some hundred thousand calls. */
const warmUpSeconds = 4;

if ((await missingPrograms({ wrk: 'wrk', curl: 'curl' })).length > 0) process.exit(0);
printMachine();
const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
const stops: (() => Promise<void>)[] = [];
try {
  // Limits that are counted but never reached.
  const settings = {
    TILTH_RATE_LIMIT_PER_MINUTE: '1000000',
    TILTH_RATE_LIMIT_PER_HOUR: '1000000',
    TILTH_LOG_LEVEL: 'info',
  };
  const tilth = await startService(directory, settings, join(directory, 'log'));
  stops.push(tilth.stop);
  const answer = await curl([...tilth.headerArgs, tilth.dataset]);
  const bare = await startServer(['bench/bare-fastify.ts', answer]);
  stops.push(bare.stop);
  if ((await curl([`${bare.url}/`])) !== answer) throw new Error('The two servers answer differently');
  await requestRate(tilth.dataset, tilth.headerArgs, warmUpSeconds);
  await requestRate(`${bare.url}/`, [], warmUpSeconds);
  const cpuOf = (cpuTimes: () => Promise<CpuTimes>) => ({
    unit: microsecondsPerCall,
    read: cpuTimes,
    amountOf: (rate: number) => rate * seconds,
  });
  await comparePairs(
    'GET of a dataset',
    {
      name: 'Tilth',
      unit: 'requests/s',
      run: () => requestRate(tilth.dataset, tilth.headerArgs, seconds),
      cpu: cpuOf(tilth.cpuTimes),
    },
    {
      name: 'bare Fastify',
      unit: 'requests/s',
      run: () => requestRate(`${bare.url}/`, [], seconds),
      cpu: cpuOf(bare.cpuTimes),
    },
  );
} finally {
  for (const stop of stops) await stop();
  await rm(directory, { recursive: true });
}
