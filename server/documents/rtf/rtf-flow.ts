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
  /** Ends a drop cap, which becomes the beginning of the next paragraph if that has text and is in the same table. */
  endDropCap(properties: RtfParagraph, style: RtfStyle | undefined): void;
};

export function createRtfFlow(): RtfFlow {
  let runs: OfficeContentNode[] = [];
  let boxes: OfficeContentNode[] = [];
  let dropCap: { runs: OfficeContentNode[]; properties: RtfParagraph; style: RtfStyle | undefined } | undefined;
  const blocks = createRtfBlocks();
  const isEmpty = (): boolean =>
    runs.every(({ type, text = '', notes }) => type === 'text' && text.trim() === '' && notes === undefined);
  const placeDropCap = (tableLevel: number): void => {
    const cap = dropCap;
    dropCap = undefined;
    if (cap === undefined) return;
    if (!isEmpty() && cap.properties.tableLevel === tableLevel) runs.unshift(...cap.runs);
    else blocks.addParagraph(cap.properties, cap.runs, cap.style);
  };
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
      placeDropCap(properties.tableLevel);
      blocks.addParagraph({ ...properties, label: flow.label }, isEmpty() ? [] : runs, style);
      blocks.addBlocks(boxes);
      runs = [];
      boxes = [];
      flow.label = undefined;
    },
    endDropCap(properties, style) {
      if (isEmpty()) {
        flow.endParagraph(properties, style);
        return;
      }
      if (dropCap !== undefined) blocks.addParagraph(dropCap.properties, dropCap.runs, dropCap.style);
      // A drop cap is lowered to stand beside its lines, but is no subscript.
      for (const { formatting } of runs) {
        delete formatting?.subscript;
        delete formatting?.superscript;
      }
      dropCap = { runs, properties, style };
      runs = [];
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
