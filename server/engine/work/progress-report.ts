import { closeSync, openSync, writeSync } from 'node:fs';
import { placeOf, progressSlots } from '../orders/worker-protocol.ts';
import type { SampleProgress } from './samples/sample-progress.ts';

/** What a worker reports of its work while it can answer nothing. */
export type ProgressReport = {
  /** An order begins; `placeFile` is kept up to date with the worker's place. */
  begin(placeFile: string | undefined): void;
  end(): void;
  samples: SampleProgress;
  /** Long work without samples makes progress. */
  beat(): void;
  /** Long work on a batch makes progress. */
  beatInBatch(): void;
};

/** Reports to the watchdog through shared memory, and to whoever finds the process dead through a file. */
export function createProgressReport(progress: Int32Array): ProgressReport {
  let beats = 0;
  let file: number | undefined;

  /** The write is done when this returns, whatever happens to the process then. */
  function keepPlace(): void {
    if (file === undefined) return;
    const { ordinal, last, step } = placeOf(progress);
    writeSync(file, new Int32Array([ordinal, last, step]), 0, undefined, 0);
  }

  return {
    begin(placeFile) {
      Atomics.store(progress, progressSlots.ordinal, -1);
      Atomics.store(progress, progressSlots.step, -1);
      Atomics.store(progress, progressSlots.last, -1);
      if (placeFile !== undefined) file = openSync(placeFile, 'w');
      keepPlace();
      Atomics.store(progress, progressSlots.running, 1);
    },
    end() {
      Atomics.store(progress, progressSlots.running, 0);
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
    samples: {
      sample(ordinal) {
        Atomics.store(progress, progressSlots.step, -1);
        Atomics.store(progress, progressSlots.ordinal, ordinal);
        keepPlace();
      },
      step(index) {
        Atomics.store(progress, progressSlots.step, index);
        keepPlace();
      },
      batch(step, from, to) {
        Atomics.store(progress, progressSlots.step, step);
        Atomics.store(progress, progressSlots.ordinal, from);
        Atomics.store(progress, progressSlots.last, to);
        keepPlace();
      },
    },
    beat() {
      beats = (beats + 1) | 0;
      Atomics.store(progress, progressSlots.ordinal, beats);
    },
    beatInBatch: () => void Atomics.add(progress, progressSlots.beats, 1),
  };
}
