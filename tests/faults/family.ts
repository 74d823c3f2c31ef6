import type { Ending } from '../support/server.ts';
import type { DatabaseKind } from './fault-database.ts';

/** `short` is what `npm run test:long` runs, about 20 s per family; `full` is the campaign. */
export type CampaignSize = 'short' | 'full';

/** Outcome of one case. */
export type CaseOutcome = {
  /** Broken promises as a client sees them, a sentence each; empty: success. */
  violations: readonly string[];
  /** The fault never occurred, so nothing was tested: reported, and not counted as a case. */
  missed?: true;
};

/** One fault at one place, with the check of everything acknowledged before. */
export type FaultCase = {
  /** Unique in its family for a seed and size, without blanks; together with the seed it repeats the case. */
  id: string;
  /** Its resources end with `t`. An exception counts as a violation. */
  run(t: Ending): Promise<CaseOutcome>;
};

export type CaseListOptions = {
  seed: number;
  size: CampaignSize;
  /** The database of the services under test; one that the family names. */
  database: DatabaseKind;
  /** The only requested case: a family that measures its cases creates it from the id without measuring. */
  caseId?: string;
  /** Duration of a case, for a family with cases of any length. */
  minutes?: number;
};

/** A kind of fault, as a list of cases that follows from the seed. */
export type FaultFamily = {
  name: string;
  /** The databases on which its cases are meaningful. */
  databases: readonly DatabaseKind[];
  /** What this machine lacks for it and how to install that; undefined if the family can run. */
  missing(): string | undefined;
  /**
   * The cases for a seed, cheap to list and run one by one or `jobs` at a time in the given order. Resources that they
   * share (a compiled program, a traced run) are created here and end with `t`, after the last case.
   */
  prepare(t: Ending, options: CaseListOptions): Promise<readonly FaultCase[]>;
  /** Maximum number of cases at once, if fewer than the machine has cores. */
  jobs?: number;
  /** A case that takes longer counts as a violation (default 120,000). */
  caseTimeoutMs?: number;
};
