import { cpus, loadavg, release, totalmem } from 'node:os';

/** Prints the machine of a measurement as the first line of a benchmark. */
export function printMachine(): void {
  const cores = cpus();
  const memoryGib = Math.round(totalmem() / 2 ** 30);
  console.log(
    `${new Date().toISOString().slice(0, 10)}, ${cores.length} × ${cores[0]?.model.trim() ?? 'unknown processor'}, ${memoryGib} GiB, Linux ${release()}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`,
  );
}
