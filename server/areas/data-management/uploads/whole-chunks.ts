import { crc32 } from 'node:zlib';
import { AppError } from '../../../kernel/errors.ts';
import { joinPath } from '../../../kernel/file-path.ts';
import { toChunkAnswer } from './chunk-answer.ts';
import { addChunkField, parseChunkForm, type ChunkFields, type ChunkForm } from './chunk-form.ts';
import { isCrc32 } from './checksums.ts';
import type { ChunkAnswer } from '../schemas/uploads.ts';
import type { ChunkState } from './chunk-sink.ts';
import type { SingleChunkFiles } from './single-chunk-files.ts';
import type { UploadSession, UploadSessions } from './upload-sessions.ts';
import type { UploadSettings } from './upload-settings.ts';

/** A chunk call whose form is there as a whole. */
export type WholeChunkForm = {
  fields: readonly { name: string; value: string }[];
  file: { name: string; bytes: Buffer };
};

/**
 * The quick way for what nearly all calls with small files are: a new file in a single chunk, all of it there, in an upload
 * that is in use. One decision without waiting and then one commit, where the general way (`upload-chunks.ts`) opens and
 * closes a reception, a content, a sink and a writer.
 */
export type WholeChunks = {
  /**
   * Keeps the chunk and answers as the general way would; undefined, with nothing done, when anything is not as expected:
   * the general way then takes the same form and says what is wrong. The bytes are copied before it returns.
   */
  receive(datasetId: string, form: WholeChunkForm): Promise<ChunkAnswer> | undefined;
};

export function createWholeChunks({
  sessions,
  singles,
  settings,
}: {
  sessions: UploadSessions;
  singles: SingleChunkFiles;
  settings: UploadSettings;
}): WholeChunks {
  function findSession(datasetId: string, uploadId: string): UploadSession | undefined {
    const session = sessions.peek(uploadId);
    return session?.upload.dataset_id === datasetId && !session.ended ? session : undefined;
  }

  function isWelcome({ upload, calls, allowedCalls }: UploadSession, sizeBytes: number): boolean {
    const maxBytes = Math.min(settings.maxChunkBytes, upload.chunk_size_bytes ?? Infinity);
    // What may have to be unpacked, and calls that count against the limit of the caller, go the general way.
    return sizeBytes <= maxBytes && upload.has_archive === 0 && calls < allowedCalls;
  }

  return {
    receive(datasetId, { fields, file }) {
      if (file.name !== 'file') return undefined;
      const { bytes } = file;
      const form = understand(() => parseFields(fields, settings.maxChunksPerFile));
      if (form === undefined || form.totalChunkNum !== 1) return undefined;
      const session = findSession(datasetId, form.reqId);
      if (session === undefined || !isWelcome(session, bytes.length)) return undefined;
      const crc = crc32(bytes);
      if (!isChecked(form, crc)) return undefined;
      const path = understand(() => joinPath('fileName', session.upload.prefix, form.fileName));
      const stored = path === undefined ? undefined : singles.storeWhole({ session, form, path, bytes, crc32: crc });
      if (stored === undefined) return undefined;
      session.calls++;
      session.users++;
      return answer(session, form, stored);
    },
  };

  async function answer(session: UploadSession, form: ChunkForm, stored: Promise<ChunkState>): Promise<ChunkAnswer> {
    try {
      const state = await stored;
      sessions.touch(session);
      return toChunkAnswer(session, form, state);
    } finally {
      session.users--;
    }
  }
}

function parseFields(given: WholeChunkForm['fields'], maxChunksPerFile: number): ChunkForm {
  const fields: ChunkFields = new Map();
  for (const { name, value } of given) addChunkField(fields, name, value);
  return parseChunkForm(fields, maxChunksPerFile);
}

/** Whether the checksum that came along, if one did, is known to be right. */
function isChecked({ checksum }: ChunkForm, crc: number): boolean {
  return checksum === undefined || (checksum.kind === 'crc32' && isCrc32(checksum, crc));
}

/** Undefined for what is refused: the general way says why. */
function understand<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
