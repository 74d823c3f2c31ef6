import { answerRequests } from '../../../processes/answer-requests.ts';
import {
  isAdmitted,
  isMatch,
  linesOf,
  placesOf,
  toLedgerEntry,
  type LedgerEntry,
  type LedgerShard,
} from '../../orders/ledger-entry.ts';
import type {
  FailedSample,
  LedgerAnswer,
  LedgerAnswers,
  LedgerQuestion,
  LedgerRequest,
} from '../../orders/ledger-questions.ts';
import { createRethresholdCounter } from './rethreshold.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import { formatPathOf, sourceOf, type Piece } from '../../orders/shard.ts';

// Importing the operators registers their reason sentences, which entries are filtered by.
await import('../../../operators/index.ts');

/** Receives the ledgers of shards one by one, until the answer is requested. */
type Reader = {
  take(shard: LedgerShard, ledger: Uint8Array, found: ReadonlySet<number> | undefined): void;
  answer(): LedgerAnswer;
};

const readers = new Map<number, Reader>();

answerRequests((request: LedgerRequest): LedgerAnswer | undefined => {
  const { id } = request;
  if (request.kind === 'question') {
    readers.set(id, readerOf(request.question));
    return undefined;
  }
  const reader = readers.get(id);
  if (request.kind !== 'shard') {
    readers.delete(id);
    return request.kind === 'answer' ? reader?.answer() : undefined;
  }
  try {
    reader?.take(request.shard, request.ledger, request.found);
    return undefined;
  } catch (error) {
    readers.delete(id);
    throw error;
  }
});

function readerOf(question: LedgerQuestion): Reader {
  if (question.kind === 'entries') return entriesReader(question);
  if (question.kind === 'line') return lineReader(question);
  if (question.kind === 'failed') return failedReader(question);
  const rethreshold = createRethresholdCounter(question.plan);
  return { take: (_shard, ledger) => rethreshold.add(linesOf(ledger)), answer: () => rethreshold.result() };
}

function entriesReader(question: Extract<LedgerQuestion, { kind: 'entries' }>): Reader {
  const { steps, filter, skip, take, maxRawLength } = question;
  const entries: LedgerEntry[] = [];
  let total = 0;
  let unsearched = 0;
  return {
    take(shard, ledger, found) {
      const pieces = JSON.parse(shard.pieces) as Piece[];
      for (const place of placesOf(ledger)) {
        const entry = toLedgerEntry(place, shard, pieces, steps);
        if (found?.has(place.ordinal) === true ? !isAdmitted(entry, filter) : !isMatch(entry, filter)) {
          if (found === undefined && filter.search !== undefined && isAdmitted(entry, filter)) unsearched += 1;
          continue;
        }
        if (total >= skip && entries.length < take) entries.push(clipped(entry, maxRawLength));
        total += 1;
      }
    },
    answer: () => ({ entries, total, unsearched }),
  };
}

function failedReader({ steps }: Extract<LedgerQuestion, { kind: 'failed' }>): Reader {
  const samples: FailedSample[] = [];
  return {
    take(shard, ledger) {
      const pieces = JSON.parse(shard.pieces) as Piece[];
      for (const given of placesOf(ledger)) {
        const [piece, rowOfShard, verdict, , , , raw] = given.line;
        if (verdict !== 'FAILED') continue;
        const { sampleId, filePath, row, line, operatorId, reason } = toLedgerEntry(given, shard, pieces, steps);
        const { fileId = '' } = pieces[piece] ?? {};
        const blobId = blobOf(pieces[piece]);
        const place = placeOf(pieces[piece], { rowOfShard, row, reason, start: raw?.start });
        const entry = { sampleId, filePath, row, line, operatorId, reason };
        const { start = 0, lengthBytes = 0, aside = null } = raw ?? {};
        samples.push({ entry, fileId, place, blobId, start, lengthBytes, aside });
      }
    },
    answer: () => samples,
  };
}

/** Where a failed sample is in its file. */
function placeOf(
  piece: Piece | undefined,
  {
    rowOfShard,
    row,
    reason,
    start,
  }: { rowOfShard: number | null; row: number | null; reason: string | null; start: number | undefined },
): FailedSample['place'] {
  if (piece === undefined) return undefined;
  if (rowOfShard !== null) return piece.column === undefined ? start : row === null ? undefined : row - 1;
  const isTable = isRowFormat(formatOf(fileTypeOf(formatPathOf(piece))));
  // A truncated table has a sample for its missing end.
  return isTable && reason !== null && reason === piece.packed?.problem ? piece.sizeBytes : 'file';
}

function clipped(entry: LedgerEntry, maxRawLength: number): LedgerEntry {
  const { rawText } = entry;
  if (rawText === null || rawText.length <= maxRawLength) return entry;
  return { ...entry, rawText: rawText.slice(0, maxRawLength).toWellFormed() };
}

function lineReader({ fileId, row, ordinal }: Extract<LedgerQuestion, { kind: 'line' }>): Reader {
  let found: LedgerAnswers['line'] = null;
  return {
    take(shard, ledger) {
      const pieces = JSON.parse(shard.pieces) as Piece[];
      const piece = pieces.findIndex((candidate) => candidate.fileId === fileId);
      const rowOfShard = row === null ? null : row - 1 - (shard.firstRow ?? 0);
      for (const place of placesOf(ledger)) {
        const { line } = place;
        if (line[0] !== piece || (ordinal === null ? line[1] !== rowOfShard : place.ordinal !== ordinal)) continue;
        found = { shardNo: shard.shardNo, place };
        break;
      }
    },
    answer: () => found,
  };
}

/** The blob of the file in the source. */
function blobOf(piece: Piece | undefined): string | null {
  return piece === undefined ? null : sourceOf(piece).blobId;
}
