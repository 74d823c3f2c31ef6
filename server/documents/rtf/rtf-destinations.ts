import { documentProblems } from '../../kernel/sentences/index.ts';
import type { RtfDocument } from './rtf-document.ts';
import { linkOf, symbolOf } from './rtf-fields.ts';
import { createFormField, textOfFormField } from './rtf-form-fields.ts';
import { skippedDestinations } from './rtf-words.ts';

const runningDestinations = new Set('header headerl headerr headerf footer footerl footerr footerf'.split(' '));

/** Begins what the innermost group is; returns whether the word names that. */
export function startDestination(name: string, document: RtfDocument): boolean {
  const { draft, groups, flows, writer } = document;
  const { state } = groups;
  if (state.destination === 'SKIPPED') {
    // The part of a text that is written twice that new programs read.
    if (name === 'ud') state.destination = groups.stateAround(1)?.destination ?? 'BODY';
    return true;
  }
  if (name === 'objdata') draft.warn(documentProblems.OBJECT_LEFT_OUT.reason({}));
  if (skippedDestinations.has(name)) {
    state.destination = 'SKIPPED';
    return true;
  }
  switch (name) {
    case 'footnote':
      flows.startNote();
      return true;
    case 'annotation':
      draft.comments += 1;
      state.destination = 'SKIPPED';
      return true;
    case 'shptxt':
    case 'dptxbxtext':
      flows.start((blocks) => flows.current.addBoxes(blocks));
      return true;
    case 'listtext':
    case 'pntext':
      writer.collect('LABEL', (text) => (flows.current.label = text));
      return true;
    case 'upr':
      state.destination = 'SKIPPED';
      return true;
    default:
      return startPartOfHeader(name, document) || startPartOfField(name, document);
  }
}

/** Begins a table of the header, or a part that repeats on every page. */
function startPartOfHeader(name: string, { draft, groups, writer }: RtfDocument): boolean {
  const { state } = groups;
  switch (name) {
    case 'fonttbl':
      state.destination = 'FONTS';
      return true;
    case 'stylesheet':
      writer.collect('STYLES', () => undefined);
      return true;
    case 'info':
      state.destination = 'INFO';
      return true;
    case 'title':
      if (state.destination === 'INFO') writer.collect('TITLE', (text) => (draft.title ??= text.trim() || null));
      return state.destination === 'TITLE';
    default:
      if (!runningDestinations.has(name)) return false;
      writer.collect('RUNNING', (text) => {
        if (text.trim() !== '') draft.runningLines += 1;
      });
      return true;
  }
}

function startPartOfField(name: string, { decoder, groups, flows, writer }: RtfDocument): boolean {
  const { state } = groups;
  switch (name) {
    case 'field':
      groups.startField();
      groups.onEnd(() => {
        const { form, hasText = false } = groups.field ?? {};
        if (form !== undefined && !hasText) writer.write(textOfFormField(form));
      });
      return true;
    case 'formfield':
      if (groups.field !== undefined) groups.field.form = createFormField();
      writer.collect('FORM', () => undefined);
      return true;
    case 'ffl':
      writer.collect('FORM', (text) => groups.field?.form?.entries.push(text));
      return true;
    case 'fldinst':
      if (state.destination !== 'BODY') return true;
      state.destination = 'INSTRUCTION';
      groups.onEnd(() => {
        const symbol = symbolOf(groups.instruction, decoder);
        if (symbol !== undefined && groups.stateAround()?.destination === 'BODY')
          flows.current.addText(symbol, groups.state, groups.link);
      });
      return true;
    case 'fldrslt':
      groups.setLink(linkOf(groups.instruction));
      return true;
    default:
      return false;
  }
}
