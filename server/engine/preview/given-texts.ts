import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../kernel/ids.ts';
import type { Step } from '../samples/chain.ts';
import type { OpenReference } from '../job.ts';
import { readPreviewReferences, type ComparedReference } from '../references/preview-references.ts';
import type { PreviewSample } from './preview-work.ts';
import { maxPreviewText, previewPieces, withinTime, type PreviewDeps } from './preview.ts';

/** The name of the rows in reasons, such as `duplicate of texts.jsonl, row 1`. */
export const givenTextsPath = 'texts.jsonl';

/** Texts and the steps over them; `reference` opens the datasets that the steps compare with, if they name any. */
export type GivenTexts = { steps: readonly Step[]; texts: readonly string[]; reference?: OpenReference };

export type PreviewedTexts = { samples: PreviewSample[]; compared: ComparedReference[] };

/**
 * Runs given texts through the steps; steps over the whole set compare these texts only. Returns one sample for each
 * text, in their order, and the datasets that they were compared with. Writes nothing but a scratch file, which it removes. Throws as `previewInput` does.
 */
export async function previewTexts(
  deps: PreviewDeps & { scratchDirectory: string },
  { steps, texts, reference: open }: GivenTexts,
): Promise<PreviewedTexts> {
  const fileId = newId();
  const file = join(deps.scratchDirectory, `${fileId}-texts.jsonl`);
  const rows = texts.map((text) => `${JSON.stringify({ text })}\n`).join('');
  const recipe = { steps, onError: 'SET_ASIDE', textField: 'text' } as const;
  const { compared, ...references } = await withinTime(deps.timeoutMs, (signal) =>
    readPreviewReferences(deps, { recipe, open, signal }),
  );
  await mkdir(deps.scratchDirectory, { recursive: true });
  try {
    await writeFile(file, rows);
    const { samples } = await previewPieces(
      { ...deps, unpacked: new Map([[fileId, file]]) },
      {
        ...references,
        recipe,
        pieces: [{ fileId, path: givenTextsPath, sizeBytes: Buffer.byteLength(rows), blobId: null }],
        firstRow: 0,
        firstLine: 0,
        skip: 0,
        limit: texts.length,
        maxTextLength: maxPreviewText,
        decided: 'compare',
      },
    );
    return { samples, compared };
  } finally {
    await rm(file, { force: true });
  }
}
