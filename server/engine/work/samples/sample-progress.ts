/** Reports a worker's position to its watchdog: number of the sample in the shard, index of the step (-1: reading). */
export type SampleProgress = {
  sample(ordinal: number): void;
  step(index: number): void;
  /** The samples numbered `from` to `to` are in a step together. */
  batch(step: number, from: number, to: number): void;
};
