import type { OfficeContentNode } from 'officeparser';
import { createRtfFlow, type RtfFlow } from './rtf-flow.ts';
import type { RtfGroups } from './rtf-groups.ts';
import { plainParagraph } from './rtf-state.ts';
import type { RtfStyles } from './rtf-styles.ts';

/** The text that is being read, and the texts around it: the body, and notes and boxes in it. */
export type RtfFlows = {
  readonly current: RtfFlow;
  /** Begins a text inside the current one, which ends with the innermost group. */
  start(take: (blocks: OfficeContentNode[]) => void): void;
  startNote(): void;
  /** Makes the last note that began an endnote. */
  markEndnote(): void;
  /** Ends the paragraph of the current text with the properties of the innermost group. */
  endParagraph(): void;
};

export function createRtfFlows(groups: RtfGroups, styles: RtfStyles): RtfFlows {
  const body = createRtfFlow();
  const inner: RtfFlow[] = [];
  let notes = 0;
  let lastNote = { type: 'footnote' };

  const flows: RtfFlows = {
    get current() {
      return inner.at(-1) ?? body;
    },
    start(take) {
      inner.push(createRtfFlow());
      groups.state.paragraph = plainParagraph;
      groups.onEnd(() => {
        flows.endParagraph();
        take(inner.pop()?.blocks.finish() ?? []);
      });
    },
    startNote() {
      const note = { type: 'footnote' };
      const isOutside = groups.state.destination !== 'BODY';
      lastNote = note;
      flows.start((blocks) => {
        if (isOutside) return;
        trimStart(blocks);
        notes += 1;
        const text = blocks.map((block) => block.text ?? '').join(' ');
        const metadata = { noteType: note.type, noteId: String(notes) };
        flows.current.addNote({ type: 'note', text, children: blocks, metadata } as OfficeContentNode);
      });
    },
    markEndnote() {
      lastNote.type = 'endnote';
    },
    endParagraph() {
      const { paragraph } = groups.state;
      flows.current.endParagraph(paragraph, styles.of(paragraph));
    },
  };
  return flows;
}

/** The number of a note is followed by a space that is not part of its text. */
function trimStart(blocks: readonly OfficeContentNode[]): void {
  const [first] = blocks;
  const run = first?.children?.[0];
  if (first === undefined || run?.type !== 'text') return;
  run.text = (run.text ?? '').trimStart();
  first.text = (first.text ?? '').trimStart();
}
