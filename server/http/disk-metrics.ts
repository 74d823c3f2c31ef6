import { Gauge } from 'prom-client';
import type { Metrics } from './metrics.ts';

/** Figures of the disk of the data folder. */
export type DiskFigures = {
  state: 'OK' | 'LOW' | 'FULL';
  freeBytes: number;
  totalBytes: number;
  freeInodes: number | null;
  reserve: { state: string; sizeBytes: number };
};

/** Space of the data folder's disk, measured when the metrics are read. */
export function addDiskMetrics({ registry }: Metrics, measure: () => Promise<DiskFigures>): void {
  function add(name: string, help: string, valueOf: (disk: DiskFigures) => number): void {
    const gauge: Gauge = new Gauge({
      name: `tilth_disk_${name}`,
      help,
      registers: [registry],
      async collect() {
        gauge.set(valueOf(await measure()));
      },
    });
  }
  add('free_bytes', 'Free bytes of the disk that holds the data folder.', (disk) => disk.freeBytes);
  add('total_bytes', 'Bytes of the disk that holds the data folder.', (disk) => disk.totalBytes);
  add(
    'free_inodes',
    'Free inodes of that disk; NaN where the file system does not count them.',
    (disk) => disk.freeInodes ?? Number.NaN,
  );
  add('low', 'Whether free space is below TILTH_LOW_DISK_SPACE_MB, or inodes run out.', (disk) =>
    Number(disk.state !== 'OK'),
  );
  add('full', 'Whether writes are refused for want of space.', (disk) => Number(disk.state === 'FULL'));
  add('reserve_held', 'Whether the space kept for deletions is there.', (disk) =>
    Number(disk.reserve.state === 'HELD'),
  );
}
