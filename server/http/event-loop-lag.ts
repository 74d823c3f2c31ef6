import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

const resolutionMs = 10;

type Delays = ReturnType<typeof monitorEventLoopDelay>;
type Figure = readonly [name: string, help: string, read: (delays: Delays) => number];

const figures: readonly Figure[] = [
  ['min_', 'The minimum recorded event loop delay.', (delays) => delays.min],
  ['max_', 'The maximum recorded event loop delay.', (delays) => delays.max],
  ['mean_', 'The mean of the recorded event loop delays.', (delays) => delays.mean],
  ['p50_', 'The 50th percentile of the recorded event loop delays.', (delays) => delays.percentile(50)],
  ['p90_', 'The 90th percentile of the recorded event loop delays.', (delays) => delays.percentile(90)],
  ['p99_', 'The 99th percentile of the recorded event loop delays.', (delays) => delays.percentile(99)],
];

/**
 * Lag of the event loop since the last collection, under the names of prom-client, whose own values are useless: before
 * the first measurement they are 292 years, and they include the 10 ms between measurements.
 */
export function collectEventLoopLag(registry: Registry, prefix: string): void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const gaugeOf = (kind: string, help: string, collect?: () => Promise<void>): Gauge => {
    const name = `${prefix}nodejs_eventloop_lag_${kind}seconds`;
    registry.removeSingleMetric(name);
    return new Gauge({ name, help, registers: [registry], ...(collect === undefined ? {} : { collect }) });
  };
  // Collected first: it sets the values of the others before it waits.
  const lag = gaugeOf('', 'Lag of event loop in seconds.', async () => {
    // Two collections within one resolution: keep the previous values.
    if (delays.count > 0) {
      for (const { gauge, read } of gauges) gauge.set(Math.max(0, read(delays) / 1e9 - resolutionMs / 1000));
      deviation.set(delays.stddev / 1e9);
      delays.reset();
    }
    const start = performance.now();
    await setImmediate();
    lag.set((performance.now() - start) / 1000);
  });
  const gauges = figures.map(([kind, help, read]) => ({ gauge: gaugeOf(kind, help), read }));
  const deviation = gaugeOf('stddev_', 'The standard deviation of the recorded event loop delays.');
}
