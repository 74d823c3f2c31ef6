import { createDraft } from './draft.ts';
import { readEmail } from './email-reader.ts';
import { detectFormat } from './format-detection.ts';
import { mainPageOf } from './main-content.ts';
import { decodePage } from './html-reader.ts';
import { readOffice, readPage } from './office-reader.ts';
import type { DocumentLimits, DocumentPart, DocumentReceipt, PageSpan } from './receipt.ts';

/**
 * Converts a document to Markdown in this thread, without a time limit: `reader-process.ts` runs it in a process that
 * can be killed. The bytes determine the format; `fileType` (an extension) is a hint. Throws DocumentFailure.
 */
export async function readDocument(
  bytes: Uint8Array,
  fileType: string,
  limits: DocumentLimits,
  part: DocumentPart = 'WHOLE',
): Promise<{ markdown: string; pages: PageSpan[]; receipt: DocumentReceipt }> {
  const { format, warnings } = await detectFormat(bytes, fileType, limits);
  const draft = createDraft(format, bytes.length, limits);
  for (const warning of warnings) draft.warn(warning);
  if (format === 'eml') await readEmail(bytes, draft);
  else if (format === 'html') {
    const page = decodePage(bytes, draft);
    await readPage(part === 'MAIN_CONTENT' ? mainPageOf(page, draft) : page, draft);
  } else await readOffice(bytes, format, limits, draft);
  return draft.finish();
}
