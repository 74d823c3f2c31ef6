import { availableParallelism } from 'node:os';
import { createFairPlaces } from '../kernel/fair-places.ts';
import { documentProblems, inputProblems } from '../kernel/sentences/index.ts';
import {
  documentLimits,
  type DocumentLimits,
  type DocumentPart,
  type DocumentProblem,
  type DocumentResult,
} from './receipt.ts';
import { createReaderSlot, ReaderLost, type ReaderSlot, type ReaderSlotOptions } from './reader-slot.ts';
import type { DocumentBytes } from './reader-protocol.ts';

export type DocumentsOptions = Partial<ReaderSlotOptions> & {
  /** Documents read concurrently. */
  processes?: number;
  limits?: Partial<DocumentLimits>;
  /** How long an idle process is kept. */
  idleMs?: number;
};

/** Converts documents to Markdown, each in a process that is killed if the document needs too much time or memory. */
export type Documents = {
  /**
   * Reads a document with this extension (without a dot), by default all of it. A problem of the document is a result,
   * never an error; throws the signal's reason after an abort, and an Error if the bytes can't be read or a process
   * can't be started. Waiting documents are scheduled fairly by `owner`: an owner with a thousand documents does not
   * block another with a single one.
   */
  read(source: PartOfDocument, fileType: string, signal?: AbortSignal, owner?: string): Promise<DocumentResult>;
  /** Ends all processes; documents being read fail with an error. */
  close(): void;
};

/** A process is replaced after this many documents, so that memory leaks in libraries don't add up. */
const documentsPerProcess = 500;
/** A process is also replaced if it keeps more than this share of its memory limit: the next document may need it. */
const maxKeptShare = 0.5;

type PartOfDocument = DocumentBytes & { part?: DocumentPart };

type Slot = { reader: ReaderSlot; documents: number; idle: NodeJS.Timeout | undefined };

export function createDocuments(options: DocumentsOptions = {}): Documents {
  const { processes = availableParallelism(), timeoutMs = 60_000, memoryMb = 1024, idleMs = 60_000 } = options;
  const limits = { ...documentLimits, ...options.limits };
  const free: Slot[] = Array.from({ length: processes }, () => {
    return { reader: createReaderSlot({ timeoutMs, memoryMb }), documents: 0, idle: undefined };
  });
  const slots = [...free];
  const places = createFairPlaces(processes);
  const closed = new AbortController();

  async function withSlot<T>(owner: string, work: (slot: Slot) => Promise<T>): Promise<T> {
    const release = await places.acquire(owner);
    const slot = free.pop();
    if (slot === undefined) throw new Error('There are more places than processes');
    clearTimeout(slot.idle);
    try {
      return await work(slot);
    } finally {
      free.push(slot);
      slot.idle = setTimeout(() => {
        slot.documents = 0;
        slot.reader.clear();
      }, idleMs).unref();
      release();
    }
  }

  async function readAt(
    slot: Slot,
    { part = 'WHOLE', ...source }: PartOfDocument,
    fileType: string,
    signal: AbortSignal,
  ): Promise<DocumentResult> {
    slot.documents += 1;
    const answer = await slot.reader.ask({ source, fileType, limits, part }, signal);
    if ('problem' in answer) {
      slot.documents = 0;
      return failed(answer.problem);
    }
    if (answer.residentBytes > maxKeptShare * memoryMb * 1024 * 1024 || slot.documents >= documentsPerProcess) {
      slot.documents = 0;
      slot.reader.clear();
    }
    if ('unreadable' in answer) throw new Error(`The bytes of a document could not be read: ${answer.unreadable}`);
    return answer.result;
  }

  return {
    async read(source, fileType, signal, owner = '') {
      const sizeBytes = 'bytes' in source ? source.bytes.length : source.sizeBytes;
      if (sizeBytes > limits.maxFileBytes) {
        const reason = inputProblems.FILE_TOO_LONG.reason({ bytes: sizeBytes, limit: limits.maxFileBytes });
        return failed({ code: 'TOO_LARGE', reason });
      }
      const anySignal = signal === undefined ? closed.signal : AbortSignal.any([signal, closed.signal]);
      return withSlot(owner, async (slot) => {
        try {
          anySignal.throwIfAborted();
          return await readAt(slot, source, fileType, anySignal);
        } catch (error) {
          if (!(error instanceof ReaderLost)) throw error;
          // Another document may have killed the process; only a document that kills it twice is to blame.
          return readAt(slot, source, fileType, anySignal).catch((again: unknown) => {
            if (!(again instanceof ReaderLost)) throw again;
            const reason = documentProblems.READER_CRASHED_TWICE.reason({ why: again.message });
            return failed({ code: 'READER_CRASHED', reason });
          });
        }
      });
    },
    close() {
      closed.abort(new Error('The documents are closed'));
      for (const { reader, idle } of slots) {
        clearTimeout(idle);
        reader.clear();
      }
    },
  };
}

function failed(problem: DocumentProblem): DocumentResult {
  return { kind: 'failed', problem, receipt: null };
}
