import { collectDefaultMetrics, Histogram, Registry, type Counter } from 'prom-client';
import { collectEventLoopLag } from './event-loop-lag.ts';

/** Metrics of this process (memory, CPU, event loop, garbage collection), shared by all its servers. */
let processRegistry: Registry | undefined;

function processMetrics(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry, prefix: 'tilth_' });
    addCpuUntilNow(processRegistry);
    collectEventLoopLag(processRegistry, 'tilth_');
  }
  return processRegistry;
}

/** prom-client counts from its own start; this adds the CPU time spent before. */
function addCpuUntilNow(registry: Registry): void {
  const { user, system } = process.cpuUsage();
  const spent = { user_: user, system_: system, '': user + system };
  for (const [kind, microseconds] of Object.entries(spent)) {
    const name = `tilth_process_cpu_${kind}seconds_total`;
    const counter = registry.getSingleMetric(name) as Counter | undefined;
    if (counter === undefined) throw new Error(`There is no metric ${name}`);
    counter.inc(microseconds / 1e6);
  }
}

/** Method and path template of a route. */
export type RouteLabel = { method: string; route: string };

export type HttpMetrics = {
  observe(label: RouteLabel, status: number, seconds: number): void;
};

export type Metrics = {
  /** Areas register their metrics here, with names that start with `tilth_`. */
  registry: Registry;
  http: HttpMetrics;
  /** All metrics in Prometheus' text format. */
  render(): Promise<string>;
  contentType: string;
};

type Observer = { observe(seconds: number): void };

/** The metrics of one server. Labels are route patterns, not paths, so that their number is bounded. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const durations = new Histogram({
    name: 'tilth_http_request_duration_seconds',
    help: 'Duration of HTTP requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers: [registry],
  });
  // Resolving labels costs more than observing, so each combination is resolved once.
  const observers = new Map<RouteLabel, Map<number, Observer>>();

  function observerOf(label: RouteLabel, status: number): Observer {
    let byStatus = observers.get(label);
    if (byStatus === undefined) observers.set(label, (byStatus = new Map()));
    let observer = byStatus.get(status);
    if (observer === undefined) {
      observer = durations.labels(label.method, label.route, String(status));
      byStatus.set(status, observer);
    }
    return observer;
  }

  return {
    registry,
    http: {
      observe(label, status, seconds) {
        observerOf(label, status).observe(seconds);
      },
    },
    render: () => Registry.merge([processMetrics(), registry]).metrics(),
    contentType: registry.contentType,
  };
}
