import { crc32 } from 'node:zlib';
import { AppError } from '../../../kernel/errors.ts';
import { joinPath } from '../../../kernel/file-path.ts';
import { toChunkAnswer } from './chunk-answer.ts';
import { addChunkField, parseChunkForm, type ChunkFields, type ChunkForm } from './chunk-form.ts';
import { isCrc32 } from './checksums.ts';
import type { ChunkAnswer } from '../schemas/uploads.ts';
import type { ChunkState } from './chunk-sink.ts';
import type { SingleChunkFiles } from './single-chunk-files.ts';
import type { UploadSession } from './upload-session.ts';
import type { UploadSessions } from './upload-sessions.ts';
import type { UploadSettings } from '../upload-settings.ts';

/** A chunk call with its complete form. */
export type WholeChunkForm = {
  fields: readonly { name: string; value: string }[];
  file: { name: string; bytes: Buffer };
};

/**
 * The fast path for nearly all calls with small files: a new file in a single, complete chunk, in an upload that is in use. One
 * synchronous decision and one commit, where the general path (`upload-chunks.ts`) opens and closes a reception, a content, a
 * sink and a writer.
 */
export type WholeChunks = {
  /**
   * Keeps the chunk and responds as the general path would; undefined, without any effect, in any other case: the general path
   * then takes the same form and reports what is wrong. The bytes are copied before it returns.
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
    // Files that may have to be unpacked, and calls that count against the caller's limit, take the general path.
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

/** Whether the checksum, if one was sent, is verified. */
function isChecked({ checksum }: ChunkForm, crc: number): boolean {
  return checksum === undefined || (checksum.kind === 'crc32' && isCrc32(checksum, crc));
}

/** Undefined for an invalid form: the general path reports why. */
function understand<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
