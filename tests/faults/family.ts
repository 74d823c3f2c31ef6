import type { Ending } from '../support/server.ts';
import type { DatabaseKind } from './fault-database.ts';

/** `short` is what the suite runs at each change, some 20 s a family; `full` is the campaign. */
export type CampaignSize = 'short' | 'full';

/** What came of one case. */
export type CaseOutcome = {
  /** What a client would call broken, a sentence each; none is success. */
  violations: readonly string[];
  /** The fault never came about, so nothing was tried: reported, and not counted as a case. */
  missed?: true;
};

/** One thing that goes wrong at one place, with the check of everything that was acknowledged before. */
export type FaultCase = {
  /** Unique in its family for a seed and size, without blanks; with the seed it repeats the case. */
  id: string;
  /** What it opens ends with `t`. An exception counts as a violation. */
  run(t: Ending): Promise<CaseOutcome>;
};

export type CaseListOptions = {
  seed: number;
  size: CampaignSize;
  /** What the services of the cases keep their metadata in; one that the family names. */
  database: DatabaseKind;
  /** The one case that is wanted: a family that measures what cases there are makes it from its id without measuring. */
  caseId?: string;
  /** How long a case goes on, for a family whose cases go on as long as one likes. */
  minutes?: number;
};

/** A kind of misfortune, as a list of cases that follows from the seed. */
export type FaultFamily = {
  name: string;
  /** Over which databases its cases tell something. */
  databases: readonly DatabaseKind[];
  /** What this machine lacks for it and how to get that; undefined where the family can run. */
  missing(): string | undefined;
  /**
   * The cases for a seed, cheap to list and run one by one or `jobs` at a time in the order given. What they share
   * (a compiled program, a traced run) is made here and ends with `t`, after the last case.
   */
  prepare(t: Ending, options: CaseListOptions): Promise<readonly FaultCase[]>;
  /** How many cases may run at once, if fewer than the machine has cores. */
  jobs?: number;
  /** A case that takes longer counts as a violation (default 120,000). */
  caseTimeoutMs?: number;
};
