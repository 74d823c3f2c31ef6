import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../kernel/ids.ts';
import type { Step } from '../samples/chain.ts';
import type { PreviewSample } from './preview-work.ts';
import { maxPreviewText, previewPieces, type PreviewDeps } from './preview.ts';

/** The name of the rows in reasons, such as `duplicate of texts.jsonl, row 1`. */
export const givenTextsPath = 'texts.jsonl';

/**
 * Runs given texts through the steps; steps over the whole set compare these texts only. Returns one sample for each
 * text, in their order. Writes nothing but a scratch file, which it removes. Throws as `previewInput` does.
 */
export async function previewTexts(
  deps: PreviewDeps & { scratchDirectory: string },
  { steps, texts }: { steps: readonly Step[]; texts: readonly string[] },
): Promise<PreviewSample[]> {
  const fileId = newId();
  const file = join(deps.scratchDirectory, `${fileId}-texts.jsonl`);
  const rows = texts.map((text) => `${JSON.stringify({ text })}\n`).join('');
  await mkdir(deps.scratchDirectory, { recursive: true });
  try {
    await writeFile(file, rows);
    const { samples } = await previewPieces(
      { ...deps, unpacked: new Map([[fileId, file]]) },
      {
        recipe: { steps, onError: 'SET_ASIDE', textField: 'text' },
        pieces: [{ fileId, path: givenTextsPath, sizeBytes: Buffer.byteLength(rows), blobId: null }],
        firstRow: 0,
        firstLine: 0,
        skip: 0,
        limit: texts.length,
        maxTextLength: maxPreviewText,
        decided: 'compare',
      },
    );
    return samples;
  } finally {
    await rm(file, { force: true });
  }
}
