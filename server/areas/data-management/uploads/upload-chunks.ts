import { causesOfDelay } from '../../../kernel/sentences/index.ts';
import { errors, invalid, unavailable } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { toChunkAnswer } from './chunk-answer.ts';
import { createChunkContent } from './chunk-content.ts';
import { addChunkField, hasRequiredFields, parseChunkForm, type ChunkFields, type ChunkForm } from './chunk-form.ts';
import type { ChunkSink } from './chunk-sink.ts';
import type { ChunkSinks } from './chunk-sinks.ts';
import { checkCrc32, checkDigest, digestKinds, type Checksum, type DigestKind } from './checksums.ts';
import type { ChunkAnswer } from '../schemas/uploads.ts';
import type { Spools } from '../archives/spools.ts';
import { createUploadCall } from './upload-call.ts';
import type { UploadSession } from './upload-session.ts';
import type { UploadSessions } from './upload-sessions.ts';
import type { UploadSettings } from '../upload-settings.ts';

/** One chunk call: takes the parts of its form in any order, then responds. */
export type ChunkReception = {
  field(name: string, value: string): void;
  file(
    part: { name: string },
    expectedBytes: number | undefined,
  ): Promise<{ write(bytes: Buffer): Promise<void> | undefined; end(): undefined }>;
  /** The form has ended: keeps the chunk and responds. */
  finish(): Promise<ChunkAnswer>;
  /** The form was invalid or broke off: discards the chunk; returns the error to respond with. */
  refuse(error: unknown): Promise<unknown>;
};

export type UploadChunks = {
  /** `charge` counts the call against the caller's rate limit, and throws when it is exceeded. */
  receive(call: { datasetId: string; charge: () => void }): ChunkReception;
};

/** Bytes of a chunk held in memory until the fields after them arrive; limits the memory of ten thousand slow clients. */
const heldBytes = 64 * 1024;
/** Text fields may follow the file; more than this beyond the limit can't be fields. */
const fieldAllowanceBytes = 1024 * 1024;

/** The state of one call. */
type Reception = {
  hasFile: boolean;
  /** Size of the file estimated from the request's length, if known. */
  expectedBytes: number | undefined;
  /** Set while bytes are being written to their target. */
  sink: ChunkSink | undefined;
  /** Digests are computed although no checksum has been sent yet. */
  hasPrecautionaryDigests: boolean;
  /** Too many bytes to hold in memory until the fields arrive: they have been passed on. */
  isPlaced: boolean;
};

export function createUploadChunks({
  db,
  blobs,
  spools,
  sessions,
  sinks,
  settings,
}: {
  db: Database;
  blobs: BlobStore;
  spools: Spools;
  sessions: UploadSessions;
  sinks: ChunkSinks;
  settings: UploadSettings;
}): UploadChunks {
  function receive({ datasetId, charge }: { datasetId: string; charge: () => void }): ChunkReception {
    const fields: ChunkFields = new Map();
    const content = createChunkContent({ blobs, spools });
    const call = createUploadCall({ db, sessions }, { datasetId, charge });
    const state: Reception = {
      hasFile: false,
      expectedBytes: undefined,
      sink: undefined,
      hasPrecautionaryDigests: false,
      isPlaced: false,
    };

    /** Too many bytes to hold in memory: passes them to the sink, if the fields that name it are known. */
    async function overflow(): Promise<void> {
      if (!hasRequiredFields(fields)) return content.divert();
      const form = parseChunkForm(fields, settings.maxChunksPerFile);
      const entered = await call.enter(form.reqId);
      state.sink = await sinks.open(entered, form, { expectedBytes: expectedSize(entered, form), early: true });
      const kinds = digestsFor(entered, form.checksum);
      return content.direct(state.sink, kinds);
    }

    function expectedSize({ upload }: UploadSession, form: ChunkForm): number | undefined {
      const announced = upload.chunk_size_bytes;
      return announced !== null && form.chunkNo < form.totalChunkNum ? announced : state.expectedBytes;
    }

    /** A checksum after the file arrives too late to choose its digest, so a client's first chunks get all digests. */
    function digestsFor(entered: UploadSession, checksum: Checksum | undefined): readonly DigestKind[] {
      if (checksum !== undefined) return digestKinds.filter((kind) => kind === checksum.kind);
      if (entered.lateChecksums === 'never') return [];
      state.hasPrecautionaryDigests = true;
      return digestKinds;
    }

    function learnHabit(entered: UploadSession, checksum: Checksum | undefined, digest: string | undefined): void {
      if (checksum === undefined) {
        if (state.hasPrecautionaryDigests && entered.lateChecksums === 'unknown') entered.lateChecksums = 'never';
      } else if (checksum.kind !== 'crc32') {
        if (state.hasPrecautionaryDigests || digest === undefined) entered.lateChecksums = 'possible';
        if (digest === undefined) throw unavailable(causesOfDelay.CHECKSUM_CAME_LATE.reason({}), 1);
      }
    }

    function checkSize({ upload }: UploadSession, form: ChunkForm): void {
      const announced = upload.chunk_size_bytes;
      if (announced === null) return;
      const isLast = form.chunkNo === form.totalChunkNum;
      if (isLast ? content.sizeBytes > announced : content.sizeBytes !== announced)
        throw invalid('file', parameterProblems.HAS_OTHER_CHUNK_SIZE.reason({ bytes: content.sizeBytes, announced }));
    }

    async function keep(): Promise<ChunkAnswer> {
      const form = parseChunkForm(fields, settings.maxChunksPerFile);
      if (!state.hasFile) throw invalid('file', parameterProblems.IS_REQUIRED.reason({}));
      const entered = await call.enter(form.reqId);
      checkSize(entered, form);
      state.sink ??= await sinks.open(entered, form, { expectedBytes: content.sizeBytes, early: false });
      const digest = await content.deliver(state.sink, form.checksum);
      learnHabit(entered, form.checksum, digest);
      if (form.checksum !== undefined && digest !== undefined) checkDigest(form.checksum, digest);
      const { sink } = state;
      // From here on the sink cleans up after itself, whatever happens.
      state.sink = undefined;
      const kept = await sink.finish(content.sizeBytes, (crc32) => checkCrc32(form.checksum, crc32));
      sessions.touch(entered);
      return toChunkAnswer(entered, form, kept);
    }

    async function forget(): Promise<void> {
      const { sink } = state;
      state.sink = undefined;
      await sink?.abort();
      await content.discard();
    }

    async function refuse(error: unknown): Promise<unknown> {
      await forget();
      call.leave();
      try {
        call.count(fields.get('reqId'));
        return error;
      } catch (refusal) {
        return refusal;
      }
    }

    const partSink = {
      get copies() {
        return content.isUnderWay;
      },
      write(bytes: Buffer): Promise<void> | undefined {
        const size = content.sizeBytes + bytes.length;
        if (size > settings.maxChunkBytes) throw tooLarge(settings.maxChunkBytes);
        const wait = content.write(bytes);
        return wait ?? (needsPlace(size) ? overflow() : undefined);
      },
      end: () => undefined,
    };

    function needsPlace(size: number): boolean {
      if (state.isPlaced || size <= heldBytes) return false;
      state.isPlaced = true;
      return true;
    }

    return {
      field: (name, value) => addChunkField(fields, name, value),

      async file({ name }, expectedBytes) {
        if (name !== 'file') return { write: () => undefined, end: () => undefined };
        if (state.hasFile) throw invalid('file', parameterProblems.MUST_BE_GIVEN_ONCE.reason({}));
        state.hasFile = true;
        state.expectedBytes = expectedBytes;
        if (expectedBytes !== undefined && expectedBytes > settings.maxChunkBytes + fieldAllowanceBytes)
          throw tooLarge(settings.maxChunkBytes);
        if (expectedBytes !== undefined && expectedBytes > heldBytes && hasRequiredFields(fields)) {
          state.isPlaced = true;
          await overflow();
        }
        return partSink;
      },

      async finish() {
        try {
          return await keep();
        } catch (error) {
          throw await refuse(error);
        } finally {
          call.leave();
        }
      },

      refuse,
    };
  }

  return { receive };
}

function tooLarge(maxChunkBytes: number): Error {
  return errors.PAYLOAD_TOO_LARGE({ what: 'The chunk', limit: `${maxChunkBytes} bytes` }, { field: 'file' });
}
