/** A bound on a step's score: samples with at least `min`, or at most `max`, are kept. */
export type Bound = { step: number; direction: 'min' | 'max'; value: number };

/** Other thresholds for the steps of a run. */
export type RethresholdPlan = {
  /** Number of steps. */
  steps: number;
  /** Bounds of all steps whose scores decide, changed or not. */
  bounds: readonly Bound[];
  /** First whole-set step whose input changes: from it on, verdicts are unknown. Null: none. */
  blindFrom: number | null;
  /** Whether that step, the only set step from there on, keeps the first sample of each group of equal ones. */
  keepsFirstOfEqual?: boolean;
};

/** Counts of one step; `unknown`: samples that reach it or now pass it, whose later verdict is unknown. */
export type RethresholdStep = { step: number; in: number; dropped: number; failed: number; unknown: number };

/**
 * Counts of the samples: `in = kept + dropped + failed + unknown`. A sample that a step dropped in the run and
 * now keeps has no scores of later steps: it is unknown, unless there is no later step. `changed` are the
 * kept samples that are known to be changed.
 */
export type RethresholdCounts = {
  in: number;
  kept: number;
  changed: number;
  dropped: number;
  failed: number;
  unknown: number;
};

/**
 * How many samples would be kept: certain bounds, and an estimate, which assumes that steps over all samples decide as
 * they did in the run, and that unknown samples fare like the known ones that passed the same step. `likely` is its
 * prediction interval of 95 %.
 */
export type KeptBounds = {
  atLeast: number;
  atMost: number;
  estimate: number;
  likely: { from: number; to: number };
  method: 'COUNTED' | 'PREDICTION_INTERVAL';
};
export type CertainBounds = Pick<KeptBounds, 'atLeast' | 'atMost' | 'estimate'>;
export type Rethresholded = { counts: RethresholdCounts; steps: RethresholdStep[]; kept: KeptBounds };
