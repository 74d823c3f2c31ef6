import type { WorkerPlace } from '../../orders/worker-protocol.ts';

/** The step if a whole process was lost, which reports no position. */
export const unknownStep = -2;

/** A worker died or had to be terminated; with the sample that it was processing. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
  readonly ordinal: number;
  /** The last sample of the batch that was in the step; `ordinal` for a single sample. */
  readonly last: number;
  readonly step: number;
  constructor(message: string, { ordinal, last, step }: WorkerPlace) {
    super(message);
    this.ordinal = ordinal;
    this.last = Math.max(ordinal, last);
    this.step = step;
  }
}
