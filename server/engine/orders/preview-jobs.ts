import type { Reason } from '../../kernel/sentences/index.ts';
import type { Match } from '../../operators/references.ts';
import type { DocumentReceipt } from '../../documents/receipt.ts';
import type { ShardJob } from './shard.ts';
import type { ReferenceSignatures } from './reference-jobs.ts';
import type { Step, Verdict } from './steps.ts';

/** The outcome that a ledger records for a sample at a step; without a reason it was kept. */
export type RecordedOutcome = { score: number; matches: readonly Match[]; reason: Reason | null };

/** A text in a preview; long texts are cut. */
export type PreviewText = {
  text: string;
  truncated: boolean;
  /** Of the whole text, in UTF-16 units. */
  length: number;
  /** Number of the sample's picture that this is, from 0. */
  picture?: number;
};

/** The effect of one step on a sample, or on one part of it after a split. */
export type PreviewStep = {
  step: number;
  operatorId: string;
  verdict: Verdict;
  before: PreviewText;
  /** Empty if the sample was dropped or failed; several texts if it was split. */
  after: PreviewText[];
  score: number | null;
  /** Passages of the text before the step that occur in the datasets that the step compares with. */
  matches: Match[];
  /** The text of the row that the step processed, if the row has several. */
  field: string | null;
  reason: Reason | null;
};

export type PreviewSample = {
  filePath: string;
  /** Data row of a table from 1; null for a document. */
  row: number | null;
  /** Line of the file from 1 that the row begins in; null in formats without lines. */
  line: number | null;
  verdict: Verdict;
  /** Operator that dropped the sample or failed on it. */
  operatorId: string | null;
  reason: Reason | null;
  /** The text of the row that the reason refers to, if the row has several. */
  field: string | null;
  /** Receipt of the document's conversion; null for anything else. */
  receipt: DocumentReceipt | null;
  steps: PreviewStep[];
  /** The texts that would be written; all texts of a row that has several. */
  texts: PreviewText[];
  /** Pictures, which steps and results refer to by index. */
  pictures: PreviewPicture[];
};

export type PreviewJob = ShardJob & {
  /** Number of the first piece's first row within its file. */
  firstRow: number;
  /** Likewise for lines; null where it is unknown. */
  firstLine: number | null;
  /** Samples at the beginning that are not shown. */
  skip: number;
  /** Samples that are shown. */
  limit: number;
  maxTextLength: number;
  /** Of thumbnails; without them no picture is shown. */
  pictures?: PictureLimits;
  /** By set step: the signatures of the datasets that it compares with. */
  references?: ReadonlyMap<number, readonly ReferenceSignatures[]>;
  /** By step: the outcome that a ledger records for the only sample, for steps that compare with other datasets. */
  recorded?: ReadonlyMap<number, RecordedOutcome>;
  /** Verdicts of set steps: by comparing the shown samples, or from an earlier run; other samples pass. */
  decided: 'compare' | readonly { step: number; score: number; reason: Reason }[];
};

/**
 * What one step did in a preview: the samples that reached it, and how many of them it changed, dropped or failed on.
 */
export type PreviewStepCounts = {
  operatorId: string;
  in: number;
  changed: number;
  dropped: number;
  failed: number;
};
export type PreviewResult = { samples: PreviewSample[]; steps: PreviewStepCounts[] };

/** `cpuMs`: minimum CPU time to measure. Steps over pictures are measured with built-in pictures instead of `texts`. */
export type SpeedJob = { step: Step; texts: readonly string[]; cpuMs: number };

/** Samples processed and the CPU time that they took; set steps only sign them. */
export type SpeedResult = { samples: number; cpuMs: number };
/** A picture in a preview, at one point of the chain. */

export type PreviewPicture = {
  type: string;
  /** Null if it can't be read as a picture. */
  width: number | null;
  height: number | null;
  frames: number | null;
  /** Of the file; null between two steps, where a picture is in memory only. */
  sizeBytes: number | null;
  /** A data URL; null if its pixels can't be read, or the limits are reached. */
  thumbnail: string | null;
};
/** Sides of thumbnails in pixels; bytes of all of them together, and the time for making them. */

export type PictureLimits = { readonly side: number; readonly bytes: number; readonly ms: number };
