import { archiveProblems, type Reason } from '../../../kernel/sentences/index.ts';
/** A run of a sparse file's bytes stored in the archive; the rest of the file is holes, read as zeros. */
export type SparseRun = { offset: number; sizeBytes: number };

/** The runs of a sparse file in ascending order, and the size of the file with its holes. */
export type SparseMap = { realBytes: number; runs: SparseRun[] };

/**
 * A sparse file of GNU tar: its runs are in header blocks or extended headers, or in front of its content; `problem` when it is
 * in an unknown format.
 */
export type SparseHeader = SparseMap & { isMapInContent: boolean; problem?: Reason };

/** Most runs kept in memory. */
const maxSparseRuns = 100_000;

const damagedMap = archiveProblems.SPARSE_MAP_DAMAGED.reason({});
const tooManyRuns = archiveProblems.SPARSE_TOO_MANY.reason({ limit: maxSparseRuns });

/** What is wrong with the map of an entry that stores `storedBytes` bytes of runs; undefined if nothing. */
export function sparseProblemOf({ realBytes, runs }: SparseMap, storedBytes: number): Reason | undefined {
  if (runs.length > maxSparseRuns) return tooManyRuns;
  if (!isSize(realBytes)) return damagedMap;
  let end = 0;
  let bytes = 0;
  for (const { offset, sizeBytes } of runs) {
    if (!isSize(offset) || !isSize(sizeBytes) || offset < end) return damagedMap;
    end = offset + sizeBytes;
    bytes += sizeBytes;
  }
  return end > realBytes || bytes !== storedBytes ? damagedMap : undefined;
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Adds a run; keeps one beyond the limit, so that the entry is refused, and drops the rest. */
export function addRun(runs: SparseRun[], run: SparseRun): void {
  if (runs.length <= maxSparseRuns) runs.push(run);
}

/**
 * Reads the list of runs in front of the content (format 1.0 of GNU tar): lines of decimal numbers, the number of runs and then
 * offset and size of each, padded to a whole block.
 */
export type SparseMapReader = {
  /** Takes bytes of the entry; returns those after the list, or undefined while it is incomplete. */
  take(bytes: Buffer): Buffer | undefined;
  readonly runs: SparseRun[];
  /** Bytes of the list with its padding. */
  readonly mapBytes: number;
  /** What is wrong with the list so far. */
  readonly problem: Reason | undefined;
};

const blockBytes = 512;
const maxDigits = 20;

export function createSparseMapReader(): SparseMapReader {
  const runs: SparseRun[] = [];
  let count: number | undefined;
  let offset: number | undefined;
  let digits = '';
  let mapBytes = 0;
  let problem: Reason | undefined;

  function takeNumber(value: number): void {
    if (count === undefined) {
      count = value;
      if (count > maxSparseRuns) problem = tooManyRuns;
    } else if (offset === undefined) {
      offset = value;
    } else {
      runs.push({ offset, sizeBytes: value });
      offset = undefined;
    }
  }

  function takeByte(byte: number): void {
    mapBytes++;
    if (isListed()) return;
    if (byte >= 0x30 && byte <= 0x39 && digits.length < maxDigits) {
      digits += String.fromCharCode(byte);
    } else if (byte === 0x0a && digits !== '') {
      takeNumber(Number(digits));
      digits = '';
    } else {
      problem = damagedMap;
    }
  }

  const isListed = (): boolean => runs.length === count;

  return {
    runs,
    get mapBytes() {
      return mapBytes;
    },
    get problem() {
      return problem ?? (isListed() ? undefined : damagedMap);
    },
    take(bytes) {
      for (let at = 0; ; at++) {
        if (isListed() && mapBytes % blockBytes === 0) return bytes.subarray(at);
        const byte = bytes[at];
        if (byte === undefined || problem !== undefined) return undefined;
        takeByte(byte);
      }
    },
  };
}
