import type { OfficeContentNode } from 'officeparser';
import { createRtfBlocks, type RtfBlocks, type RtfStyle } from './rtf-blocks.ts';
import type { RtfParagraph, RtfState } from './rtf-state.ts';

/** A text that is being read: the body, or that of a note or a box in it. */
export type RtfFlow = {
  readonly blocks: RtfBlocks;
  /** What the label of the current paragraph's list item is. */
  label: string | undefined;
  addText(text: string, state: RtfState, link: string | undefined): void;
  addBreak(): void;
  addNote(note: OfficeContentNode): void;
  /** Blocks that follow the current paragraph. */
  addBoxes(blocks: readonly OfficeContentNode[]): void;
  endParagraph(properties: RtfParagraph, style: RtfStyle | undefined): void;
};

export function createRtfFlow(): RtfFlow {
  let runs: OfficeContentNode[] = [];
  let boxes: OfficeContentNode[] = [];
  const blocks = createRtfBlocks();
  const flow: RtfFlow = {
    blocks,
    label: undefined,
    addText(text, state, link) {
      const formatting = formattingOf(state);
      const last = runs.at(-1);
      if (last?.type === 'text' && isAlike(last, formatting, link) && last.notes === undefined) {
        last.text = (last.text ?? '') + text;
        return;
      }
      const metadata = link === undefined ? {} : { metadata: { link, linkType: 'external' } };
      runs.push({ type: 'text', text, formatting, ...metadata } as OfficeContentNode);
    },
    addBreak() {
      runs.push({ type: 'break', metadata: { breakType: 'textWrapping' } });
    },
    addNote(note) {
      const last = runs.at(-1) ?? { type: 'text', text: '', formatting: {} };
      if (runs.length === 0) runs.push(last);
      (last.notes ??= []).push(note);
    },
    addBoxes(added) {
      boxes.push(...added);
    },
    endParagraph(properties, style) {
      const isEmpty = runs.every(
        ({ type, text = '', notes }) => type === 'text' && text.trim() === '' && notes === undefined,
      );
      blocks.addParagraph({ ...properties, label: flow.label }, isEmpty ? [] : runs, style);
      blocks.addBlocks(boxes);
      runs = [];
      boxes = [];
      flow.label = undefined;
    },
  };
  return flow;
}

function formattingOf({ bold, italic, strikethrough, shift }: RtfState): NonNullable<OfficeContentNode['formatting']> {
  return {
    ...(bold ? { bold } : {}),
    ...(italic ? { italic } : {}),
    ...(strikethrough ? { strikethrough } : {}),
    ...(shift === undefined ? {} : { [shift]: true }),
  };
}

function isAlike({ formatting, metadata }: OfficeContentNode, other: object, link: string | undefined): boolean {
  const own = (metadata as { link?: string } | undefined)?.link;
  return own === link && JSON.stringify(formatting) === JSON.stringify(other);
}
