import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mainThread, type CpuTimes } from './cpu-times.ts';
import { microsecondsPerFile, type Side } from './pairs.ts';
import { serverCores } from './running-service.ts';
import type { FloorAnswer, FloorRequest } from './sql-floor.ts';

/** One side of a comparison: SQLite alone, writing the rows that the service has just written. */
export type RunningSqlFloor = { side: Side; stop(): Promise<void> };

export function startSqlFloor(options: {
  /** The service's database. */
  source: string;
  target: string;
  /** Files per transaction. */
  groupFiles: number;
  withUpload: boolean;
  /** Id of the dataset that the service filled last. */
  lastDataset(): string;
}): RunningSqlFloor {
  const { source, target, groupFiles, withUpload, lastDataset } = options;
  const child = fork('bench/sql-floor.ts', [source, target], {
    execPath: 'taskset',
    execArgv: ['-c', serverCores, process.execPath],
  });
  let cpuSeconds = 0;
  let files = 0;
  return {
    side: {
      name: 'SQLite alone',
      unit: 'files/s',
      async run() {
        child.send({ dataset: lastDataset(), groupFiles, withUpload } satisfies FloorRequest);
        const [answer] = (await once(child, 'message')) as [FloorAnswer];
        cpuSeconds += answer.cpuSeconds;
        files = answer.rows;
        return answer.rows / answer.wallSeconds;
      },
      cpu: {
        unit: microsecondsPerFile,
        read: async (): Promise<CpuTimes> => new Map([[mainThread, cpuSeconds]]),
        amountOf: () => files,
        floorOf: 'SQL writer',
      },
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
