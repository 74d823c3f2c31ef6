/** Counts of inputs: `in = kept + dropped + failed`; `changed` is part of `kept`, `emitted` was written. */
export type Counts = { in: number; kept: number; changed: number; dropped: number; failed: number; emitted: number };

export const noCounts: Counts = { in: 0, kept: 0, changed: 0, dropped: 0, failed: 0, emitted: 0 };
