import { AppError, errors, invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import type { Database } from '../../../storage/database/database.ts';
import { pathConflicts } from '../../../kernel/sentences/index.ts';
import { createPathsOfCall, type PathsOfCall } from '../files/paths-of-call.ts';
import type { FileGroupAnswer, FileOutcome } from '../schemas/file-groups.ts';
import { parseChunkForm, type ChunkFields, type ChunkForm } from './chunk-form.ts';
import type { ChunkSink } from './chunk-sink.ts';
import type { ChunkSinks } from './chunk-sinks.ts';
import { checkCrc32, checkDigest, createDigests, digestKinds, type Digests } from './checksums.ts';
import { createUploadCall } from './upload-call.ts';
import type { UploadSession } from './upload-session.ts';
import type { UploadSessions } from './upload-sessions.ts';
import type { UploadSettings } from '../upload-settings.ts';

/** One call with many small files of an announced upload, each after its fields. */
export type FileGroupReception = {
  readonly maxParts: number;
  field(name: string, value: string): void;
  file(part: { name: string }): Promise<{ write(bytes: Buffer): Promise<void> | undefined; end(): Promise<void> }>;
  /** The form has ended: returns the result of each file, in their order. */
  finish(): Promise<FileGroupAnswer>;
  /**
   * The form was invalid or broke off: discards what is not stored yet; stored files stay, as chunks would. Throws when the rate
   * limit is exceeded.
   */
  abort(): Promise<void>;
};

export type FileGroups = {
  /** `charge` counts the call against the caller's rate limit, and throws when it is exceeded. */
  receive(call: { datasetId: string; uploadId: string; charge: () => void }): FileGroupReception;
};

/** A received file, to be stored together with its neighbours. */
type Arrived = {
  form: ChunkForm;
  sink: ChunkSink;
  sizeBytes: number;
  digests: Digests | undefined;
  /** Index of its result. */
  place: number;
};

const partsPerFile = 4;
/** Bytes of received files held in memory until they are stored together. */
const maxWaitingBytes = 8 * 1024 * 1024;
const maxWaitingFiles = 500;

/**
 * Single-chunk files, many per request: the cost of one request and one commit is shared by all. A file that is refused fails
 * alone, and repeating one is as harmless as repeating a chunk.
 */
export function createFileGroups({
  db,
  sessions,
  sinks,
  settings,
}: {
  db: Database;
  sessions: UploadSessions;
  sinks: ChunkSinks;
  settings: UploadSettings;
}): FileGroups {
  return {
    receive({ datasetId, uploadId, charge }) {
      const outcomes: FileOutcome[] = [];
      let fields: ChunkFields = new Map();
      const call = createUploadCall({ db, sessions }, { datasetId, charge });
      const numbers = new Set<number>();
      let paths: PathsOfCall | undefined;
      let open: ChunkSink | undefined;
      let arrived: Arrived[] = [];
      let waitingBytes = 0;

      /** Throws FILE_ALREADY_EXISTS if another file of this call has the path; repeating a file is harmless. */
      function claimPath({ upload }: UploadSession, { fileNo, fileName }: ChunkForm): void {
        if (numbers.has(fileNo)) return;
        numbers.add(fileNo);
        paths ??= createPathsOfCall({ sharesPaths: upload.on_conflict === 'RENAME' });
        const conflict = paths.claim(fileName, pathConflicts.FILE_OF_UPLOAD.reason({ number: fileNo, name: fileName }));
        if (conflict !== undefined) throw conflict;
      }

      /** An error of one file becomes its result; any other error ends the call. */
      function refuse(place: number, error: unknown): void {
        const outcome = outcomes[place];
        if (!(error instanceof AppError) || outcome === undefined) throw error;
        outcome.error = { error: error.code, message: error.message };
      }

      async function store({ form, sink, sizeBytes, digests, place }: Arrived): Promise<void> {
        const outcome = outcomes[place];
        try {
          const { checksum } = form;
          const kind = digestKinds.find((known) => known === checksum?.kind);
          const digest = kind === undefined ? undefined : digests?.hex(kind);
          const state = await sink.finish(sizeBytes, (crc32) => {
            checkCrc32(checksum, crc32);
            if (checksum !== undefined && digest !== undefined) checkDigest(checksum, digest);
          });
          if (outcome === undefined) return;
          outcome.fileCompleted = state.completed;
          if (state.file !== undefined) outcome.file = state.file;
        } catch (error) {
          refuse(place, error);
        }
      }

      /** Stores all waiting files together: the committer puts them into one commit. */
      async function storeArrived(): Promise<void> {
        const group = arrived;
        arrived = [];
        waitingBytes = 0;
        const stored = await Promise.allSettled(group.map(store));
        for (const result of stored) if (result.status === 'rejected') throw result.reason;
      }

      async function abort(): Promise<void> {
        const left = arrived.map(({ sink }) => sink);
        if (open !== undefined) left.push(open);
        arrived = [];
        open = undefined;
        call.leave();
        await Promise.all(left.map((sink) => sink.abort()));
        call.count(uploadId);
      }

      /** Discards the bytes of a file that was already refused. */
      const nowhere = { write: () => undefined, end: () => Promise.resolve() };

      return {
        maxParts: partsPerFile * settings.maxFilesPerCall,

        field(name, value) {
          if (name === 'file') throw invalid('file', parameterProblems.MUST_BE_SENT_AS_FILE.reason({}));
          if (name !== 'fileNo' && name !== 'fileName' && name !== 'checkSumHex') return;
          if (fields.has(name)) throw invalid(name, parameterProblems.MUST_PRECEDE_FILES.reason({}));
          fields.set(name, value);
        },

        async file({ name }) {
          if (name !== 'file') throw invalid(name, parameterProblems.IS_NO_FIELD_OF_FILES.reason({ field: 'file' }));
          const given = fields;
          fields = new Map();
          if (outcomes.length >= settings.maxFilesPerCall)
            throw invalid('file', parameterProblems.MANY_FILES.reason({ limit: settings.maxFilesPerCall }));
          const entered = await call.enter(uploadId);
          const fileNo = parseFileNo(given.get('fileNo'));
          const place = outcomes.push({ fileNo, fileName: given.get('fileName') ?? '', fileCompleted: false }) - 1;
          try {
            const form = parseForm(given, uploadId);
            claimPath(entered, form);
            const sink = await sinks.open(entered, form, { expectedBytes: undefined, early: false });
            const maxBytes = Math.min(settings.maxChunkBytes, entered.upload.chunk_size_bytes ?? Infinity);
            return takeFile(form, sink, place, maxBytes);
          } catch (error) {
            refuse(place, error);
            return nowhere;
          }
        },

        async finish() {
          try {
            const entered = await call.enter(uploadId);
            if (outcomes.length === 0) throw invalid('file', parameterProblems.NEEDS_FILE.reason({}));
            await storeArrived();
            sessions.touch(entered);
            const { total_file_num, total_size_bytes } = entered.upload;
            const uploadCompleted = entered.completedFiles === total_file_num;
            const answer: FileGroupAnswer = { reqId: uploadId, uploadCompleted, files: outcomes };
            if (uploadCompleted && entered.receivedBytes < total_size_bytes)
              answer.warnings = [`${total_size_bytes} bytes were announced, ${entered.receivedBytes} arrived`];
            return answer;
          } finally {
            await abort();
          }
        },

        abort,
      };

      function takeFile(form: ChunkForm, sink: ChunkSink, place: number, maxBytes: number) {
        const kind = digestKinds.find((known) => known === form.checksum?.kind);
        const digests = kind === undefined ? undefined : createDigests([kind]);
        let sizeBytes = 0;
        let isRefused = false;
        open = sink;
        return {
          write(bytes: Buffer): Promise<void> | undefined {
            if (isRefused) return undefined;
            sizeBytes += bytes.length;
            if (sizeBytes <= maxBytes) {
              digests?.update(bytes);
              return sink.write(bytes);
            }
            isRefused = true;
            refuse(
              place,
              errors.PAYLOAD_TOO_LARGE({ what: 'The file', limit: `${maxBytes} bytes; send it in chunks` }),
            );
            open = undefined;
            return sink.abort();
          },
          async end(): Promise<void> {
            open = undefined;
            if (isRefused) return;
            arrived.push({ form, sink, sizeBytes, digests, place });
            waitingBytes += sizeBytes;
            if (waitingBytes >= maxWaitingBytes || arrived.length >= maxWaitingFiles) await storeArrived();
          },
        };
      }
    },
  };
}

/** Without a number no result could be matched to the file: the whole call is invalid. */
function parseFileNo(text: string | undefined): number {
  if (text === undefined) throw invalid('fileNo', parameterProblems.IS_REQUIRED_BEFORE_FILES.reason({}));
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw invalid('fileNo', parameterProblems.MUST_BE_INTEGER_FROM.reason({ from: 0 }));
  return number;
}

/** A file's fields in the form of its only chunk. */
function parseForm(fields: ChunkFields, uploadId: string): ChunkForm {
  const whole: ChunkFields = new Map(fields);
  whole.set('reqId', uploadId).set('totalChunkNum', '1').set('chunkNo', '1');
  return parseChunkForm(whole, 1);
}
