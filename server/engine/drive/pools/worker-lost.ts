/** The step if a whole process was lost, which reports no position. */
export const unknownStep = -2;

/** Where a worker was in its job: `ordinal` is -1 before any sample, `step` is -1 while a sample was being read. */
export type LostPlace = { ordinal: number; last: number; step: number };

/** A worker died or had to be terminated; with the sample that it was processing. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
  readonly ordinal: number;
  /** The last sample of the batch that was in the step; `ordinal` for a single sample. */
  readonly last: number;
  readonly step: number;
  constructor(message: string, { ordinal, last, step }: LostPlace) {
    super(message);
    this.ordinal = ordinal;
    this.last = Math.max(ordinal, last);
    this.step = step;
  }
}
