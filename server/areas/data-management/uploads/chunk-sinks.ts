import type { AssembledChunks } from './assembled-chunks.ts';
import type { ChunkForm } from './chunk-form.ts';
import type { ChunkSink } from './chunk-sink.ts';
import type { ReceivingFiles } from './receiving-files.ts';
import type { RepeatedChunks } from './repeated-chunks.ts';
import type { SingleChunkFiles } from './single-chunk-files.ts';
import type { UploadSession } from './upload-session.ts';

export type ChunkSinks = {
  /** `expectedBytes`: a hint from the request; `early`: the bytes are still to come, so check whether they are allowed. */
  open(
    session: UploadSession,
    form: ChunkForm,
    options: { expectedBytes: number | undefined; early: boolean },
  ): Promise<ChunkSink>;
};

/** Chooses the sink of a chunk: a single-chunk file, one of several chunks, or a comparison with a complete file. */
export function createChunkSinks({
  files,
  singles,
  assembled,
  repeats,
}: {
  files: ReceivingFiles;
  singles: SingleChunkFiles;
  assembled: AssembledChunks;
  repeats: RepeatedChunks;
}): ChunkSinks {
  const sinks: ChunkSinks = {
    async open(session, form, { expectedBytes, early }) {
      const found = await files.find(session, form);
      if (found.kind === 'completed') return repeats.open(form, found.row, expectedBytes);
      if (found.kind === 'receiving') {
        try {
          await files.checkDataset(session);
        } catch (error) {
          await files.leave(session, found.file);
          throw error;
        }
        return assembled.open(session, form, found.file, expectedBytes);
      }
      if (form.totalChunkNum > 1) {
        const file = await files.begin(session, form, found.path);
        if (file === undefined) return sinks.open(session, form, { expectedBytes, early });
        return assembled.open(session, form, file, expectedBytes);
      }
      if (early) await files.checkDataset(session, found.path);
      return singles.open(session, form, found.path);
    },
  };
  return sinks;
}
