import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseWithoutLoss } from '../../../kernel/exact-json.ts';
import { newId } from '../../../kernel/ids.ts';
import { noField } from '../../../tables/table-layout.ts';
import type { Step } from '../../orders/steps.ts';
import type { OpenReference } from '../job.ts';
import type { PreviewUsage } from '../models/preview-models.ts';
import { readPreviewReferences, type ComparedReference } from '../references/preview-references.ts';
import type { PreviewSample } from '../../orders/preview-jobs.ts';
import { maxPreviewText, previewPieces, withinTime, type PreviewDeps } from './preview.ts';

/** The file name shown in reasons, such as `duplicate of texts.jsonl, row 1`. */
export const givenTextsPath = 'texts.jsonl';

/**
 * Texts and the steps over them; `reference` opens the datasets that the steps compare with, if there are any. With
 * `mayBeRows`, for steps over columns, a text that is a JSON object is a row with its columns.
 */
export type GivenTexts = {
  steps: readonly Step[];
  texts: readonly string[];
  mayBeRows?: boolean;
  reference?: OpenReference;
};

export type PreviewedTexts = { samples: PreviewSample[]; compared: ComparedReference[]; asked: PreviewUsage };

/**
 * Runs given texts through the steps; whole-set steps compare only these texts. Returns one sample per text, in order,
 * and the datasets that they were compared with. Writes only a scratch file, which it removes. Throws as `previewInput`
 * does.
 */
export async function previewTexts(
  deps: PreviewDeps & { scratchDirectory: string },
  { steps, texts, mayBeRows = false, reference: open }: GivenTexts,
): Promise<PreviewedTexts> {
  const fileId = newId();
  const file = join(deps.scratchDirectory, `${fileId}-texts.jsonl`);
  const rows = texts.map((text) => `${(mayBeRows ? rowIn(text) : undefined) ?? JSON.stringify({ text })}\n`).join('');
  const reading = mayBeRows ? ({ textField: noField, mayLackText: true } as const) : { textField: 'text' };
  const recipe = { steps, onError: 'SET_ASIDE' as const, ...reading };
  const { compared, ...references } = await withinTime(deps.timeoutMs, (signal) =>
    readPreviewReferences(deps, { recipe, open, signal }),
  );
  await mkdir(deps.scratchDirectory, { recursive: true });
  try {
    await writeFile(file, rows);
    const { samples, asked } = await previewPieces(
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
    return { samples, compared, asked };
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * The row in a text that is a JSON object, on one line, with all digits of its numbers; undefined for any other text.
 */
function rowIn(text: string): string | undefined {
  try {
    const value = parseWithoutLoss(text);
    return typeof value === 'object' && value !== null && text.trimStart().startsWith('{')
      ? JSON.stringify(value)
      : undefined;
  } catch {
    return undefined;
  }
}
