import type { OfficeContentNode } from 'officeparser';
import { documentProblems } from '../kernel/sentences/index.ts';
import type { Draft } from './draft.ts';
import { countRtfPictures } from './left-out-pictures.ts';
import { addNodes } from './office-markdown.ts';
import { DocumentFailure } from './receipt.ts';
import { createRtfInterpreter } from './rtf/rtf-interpreter.ts';
import { rtfTokens } from './rtf/rtf-tokens.ts';

/** No document nests its groups this deep. */
const maxGroups = 2000;

/** Reads an RTF document: its text with lists, tables and notes, as its reader sees it. */
export async function readRtf(bytes: Uint8Array, draft: Draft): Promise<void> {
  draft.images += countRtfPictures(bytes);
  await addNodes(draft, rtfBlocks(bytes, draft));
}

/** The blocks of an RTF document. */
export function rtfBlocks(bytes: Uint8Array, draft: Draft): OfficeContentNode[] {
  const rtf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const interpreter = createRtfInterpreter(rtf, draft);
  let groups = 0;
  for (const token of rtfTokens(rtf)) {
    if (token.kind === 'open') groups += 1;
    else if (token.kind === 'close') groups -= 1;
    if (groups > maxGroups) throw new DocumentFailure('TOO_LARGE', documentProblems.NESTED_TOO_DEEPLY.reason({}));
    interpreter.take(token);
  }
  return interpreter.finish();
}
