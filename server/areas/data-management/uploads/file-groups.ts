import { AppError, errors, invalid } from '../../../kernel/errors.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { FileGroupAnswer, FileOutcome } from '../schemas/file-groups.ts';
import { parseChunkForm, type ChunkFields, type ChunkForm } from './chunk-form.ts';
import type { ChunkSink } from './chunk-sink.ts';
import type { ChunkSinks } from './chunk-sinks.ts';
import { checkCrc32, checkDigest, createDigests, digestKinds, type Digests } from './checksums.ts';
import { createUploadCall } from './upload-call.ts';
import type { UploadSessions } from './upload-sessions.ts';
import type { UploadSettings } from './upload-settings.ts';

/** One call that brings many small files of an announced upload, each behind its fields. */
export type FileGroupReception = {
  readonly maxParts: number;
  field(name: string, value: string): void;
  file(part: { name: string }): Promise<{ write(bytes: Buffer): Promise<void> | undefined; end(): Promise<void> }>;
  /** The form has ended: what became of each file, in their order. */
  finish(): Promise<FileGroupAnswer>;
  /** The form was bad or broke off: forgets what is not stored yet; what is stays, as a chunk would. Throws when no call is left. */
  abort(): Promise<void>;
};

export type FileGroups = {
  /** `charge` counts the call against the caller's rate limit, and throws when none is left. */
  receive(call: { datasetId: string; uploadId: string; charge: () => void }): FileGroupReception;
};

/** A file whose bytes are there, to be stored with its neighbours. */
type Arrived = {
  form: ChunkForm;
  sink: ChunkSink;
  sizeBytes: number;
  digests: Digests | undefined;
  /** Where its outcome belongs. */
  place: number;
};

const partsPerFile = 4;
/** Bytes that wait to be stored together: they are in memory. */
const maxWaitingBytes = 8 * 1024 * 1024;
const maxWaitingFiles = 500;

/**
 * Files that are a single chunk each, many in one request: what costs a request and a commit each otherwise costs one. A
 * file that can't be had fails alone, and sending one again is as harmless as sending a chunk again.
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
      let open: ChunkSink | undefined;
      let arrived: Arrived[] = [];
      let waitingBytes = 0;

      /** What is wrong with one file is told with it; anything else ends the call. */
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

      /** All that waits, at once: the committer makes one commit of what comes together. */
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

      /** Takes the bytes of a file that was refused already and forgets them. */
      const nowhere = { write: () => undefined, end: () => Promise.resolve() };

      return {
        maxParts: partsPerFile * settings.maxFilesPerCall,

        field(name, value) {
          if (name === 'file') throw invalid('file', 'must be sent as a file, with a filename');
          if (name !== 'fileNo' && name !== 'fileName' && name !== 'checkSumHex') return;
          if (fields.has(name)) throw invalid(name, 'must be given once before each file');
          fields.set(name, value);
        },

        async file({ name }) {
          if (name !== 'file') throw invalid(name, 'is no field of this call; send each file in the field file');
          const given = fields;
          fields = new Map();
          if (outcomes.length >= settings.maxFilesPerCall)
            throw invalid('file', `may be given at most ${settings.maxFilesPerCall} times in one call`);
          const entered = await call.enter(uploadId);
          const fileNo = parseFileNo(given.get('fileNo'));
          const place = outcomes.push({ fileNo, fileName: given.get('fileName') ?? '', fileCompleted: false }) - 1;
          try {
            const form = parseForm(given, uploadId);
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
            if (outcomes.length === 0) throw invalid('file', 'is required: at least one file');
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

/** Without its number nobody could tell which file an outcome is about: the whole call is bad. */
function parseFileNo(text: string | undefined): number {
  if (text === undefined) throw invalid('fileNo', 'is required before each file');
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) throw invalid('fileNo', 'must be an integer from 0');
  return number;
}

/** The fields of a file as those of its only chunk. */
function parseForm(fields: ChunkFields, uploadId: string): ChunkForm {
  const whole: ChunkFields = new Map(fields);
  whole.set('reqId', uploadId).set('totalChunkNum', '1').set('chunkNo', '1');
  return parseChunkForm(whole, 1);
}
