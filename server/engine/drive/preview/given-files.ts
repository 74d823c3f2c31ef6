import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../../kernel/ids.ts';
import type { OpenReference } from '../job.ts';
import { readPreviewReferences } from '../references/preview-references.ts';
import type { Step } from '../../orders/steps.ts';
import type { PreviewSample } from '../../orders/preview-jobs.ts';
import { maxPreviewText, pictureLimits, previewPieces, withinTime, type PreviewDeps } from './preview.ts';

/** Files sent for a preview: scratch files until they are closed, and part of no dataset. */
export type GivenFiles = {
  /** Begins a file; its extension determines its format. */
  add(path: string): Promise<{ write(bytes: Uint8Array): Promise<void>; end(): Promise<void> }>;
  /** Runs the files through the steps, each as one sample, in order. Throws as `previewInput` does. */
  preview(request: {
    steps: readonly Step[];
    /** Side of the thumbnails of pictures, in pixels. */
    pictureSide: number;
    reference?: OpenReference;
  }): Promise<PreviewSample[]>;
  /** Removes the files. */
  close(): Promise<void>;
};

type Given = { fileId: string; path: string; place: string; sizeBytes: number };

export function openGivenFiles(deps: PreviewDeps & { scratchDirectory: string }): GivenFiles {
  const files: Given[] = [];
  const handles = new Set<FileHandle>();
  return {
    async add(path) {
      const fileId = newId();
      await mkdir(deps.scratchDirectory, { recursive: true });
      const file = { fileId, path, place: join(deps.scratchDirectory, `${fileId}-given`), sizeBytes: 0 };
      files.push(file);
      const handle = await open(file.place, 'wx');
      handles.add(handle);
      return {
        async write(bytes) {
          file.sizeBytes += bytes.length;
          await handle.writeFile(bytes);
        },
        async end() {
          handles.delete(handle);
          await handle.close();
        },
      };
    },
    async preview({ steps, pictureSide: side, reference: open }) {
      const recipe = { steps, onError: 'SET_ASIDE' as const, textField: null };
      const { compared: _compared, ...references } = await withinTime(deps.timeoutMs, (signal) =>
        readPreviewReferences(deps, { recipe, open, signal }),
      );
      const { samples } = await previewPieces(
        { ...deps, unpacked: new Map(files.map(({ fileId, place }) => [fileId, place])) },
        {
          ...references,
          recipe,
          pieces: files.map(({ fileId, path, sizeBytes }) => ({ fileId, path, sizeBytes, blobId: null })),
          firstRow: 0,
          firstLine: 0,
          skip: 0,
          limit: files.length,
          maxTextLength: maxPreviewText,
          pictures: { ...pictureLimits, side },
          decided: 'compare',
        },
      );
      return samples;
    },
    async close() {
      for (const handle of handles) await handle.close();
      for (const { place } of files) await rm(place, { force: true });
    },
  };
}
