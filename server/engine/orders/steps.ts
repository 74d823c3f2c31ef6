/** One step of a pipeline, with the operator version pinned by the run. */
export type Step = {
  readonly operatorId: string;
  readonly version: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** For a published operator: the digest that identifies its package. */
  readonly digest?: string;
};

/** `SKIPPED` samples are not part of the input and are counted separately. */
export type Verdict = 'KEPT' | 'CHANGED' | 'DROPPED' | 'FAILED' | 'SKIPPED';

/** Counts and time of one step. */
export type StepFigures = { in: number; changed: number; dropped: number; failed: number; ms: number };

/** A step that calls models, and the models that it names. */
export type ModelStep = { step: number; models: string[] };
