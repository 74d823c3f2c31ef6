import type { Draft } from '../draft.ts';
import { createRtfFlows, type RtfFlows } from './rtf-flows.ts';
import { createRtfFonts, type RtfFonts } from './rtf-fonts.ts';
import { createRtfGroups, type RtfGroups } from './rtf-groups.ts';
import { createRtfStyles, type RtfStyles } from './rtf-styles.ts';
import { createRtfDecoder, type RtfDecoder } from './rtf-text.ts';
import { createRtfWriter, type RtfWriter } from './rtf-writer.ts';

/** The parts of a document that is being read. */
export type RtfDocument = {
  readonly draft: Draft;
  readonly decoder: RtfDecoder;
  readonly fonts: RtfFonts;
  readonly styles: RtfStyles;
  readonly groups: RtfGroups;
  readonly flows: RtfFlows;
  readonly writer: RtfWriter;
};

export function createRtfDocument(rtf: string, draft: Draft): RtfDocument {
  const decoder = createRtfDecoder(rtf, draft);
  const fonts = createRtfFonts();
  const styles = createRtfStyles();
  const groups = createRtfGroups();
  const flows = createRtfFlows(groups, styles);
  const writer = createRtfWriter({ draft, decoder, fonts, groups, flows });
  return { draft, decoder, fonts, styles, groups, flows, writer };
}
