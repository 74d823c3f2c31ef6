import type { OfficeContentNode } from 'officeparser';
import { documentProblems } from '../../kernel/sentences/index.ts';
import type { Draft } from '../draft.ts';
import { takeBlockWord } from './rtf-block-words.ts';
import type { RtfCell, RtfStyle } from './rtf-blocks.ts';
import { createRtfFlow, type RtfFlow } from './rtf-flow.ts';
import { applyFormat, firstState, type RtfDestination, type RtfState } from './rtf-state.ts';
import { beyondAscii, createRtfDecoder, type RtfFont } from './rtf-text.ts';
import type { RtfToken } from './rtf-tokens.ts';
import { characterSymbols, characterWords, readDestinations, skippedDestinations } from './rtf-words.ts';

/** Follows the tokens of a document, and builds its blocks. */
export type RtfInterpreter = { take(token: RtfToken): void; finish(): OfficeContentNode[] };

type Field = { instruction: string };
/** What a group began, and ends when it is closed. */
type Group = { before: RtfState; onClose: (() => void)[]; field: Field | undefined; link: string | undefined };

const destinations = new Map<string, RtfDestination>([
  ['fonttbl', 'FONTS'],
  ['stylesheet', 'STYLES'],
  ['info', 'INFO'],
  ['listtext', 'LABEL'],
  ['pntext', 'LABEL'],
  ['upr', 'SKIPPED'],
  ...['header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr', 'footerf'].map(
    (name) => [name, 'RUNNING'] as const,
  ),
]);

export function createRtfInterpreter(rtf: string, draft: Draft): RtfInterpreter {
  const decoder = createRtfDecoder(rtf, draft);
  const fonts = new Map<number, RtfFont>();
  const styles = new Map<number, RtfStyle>();
  const groups: Group[] = [];
  const flows: RtfFlow[] = [createRtfFlow()];
  let state: RtfState = { ...firstState };
  let defaultFont: number | undefined;
  let font: { number: number } & RtfFont = { number: 0, name: '', charset: 1, page: undefined };
  let bytes = { text: '', isEscaped: false };
  let collected = '';
  let toSkip = 0;
  /** Whether the group has only begun, and whether it is marked as unknown to old programs. */
  let isOpening = false;
  let isMarked = false;
  let notes = 0;
  const cell: RtfCell = { continuesAcross: false, continuesDown: false };
  const flow = (): RtfFlow => flows.at(-1) ?? (flows[0] as RtfFlow);
  const field = (): Field | undefined => groups.findLast((group) => group.field !== undefined)?.field;
  const link = (): string | undefined => groups.findLast((group) => group.link !== undefined)?.link;
  const onClose = (act: () => void): void => {
    groups.at(-1)?.onClose.push(act);
  };

  function flush(): void {
    const { text, isEscaped } = bytes;
    bytes = { text: '', isEscaped: false };
    if (text !== '') write(decoder.decode(text, fonts.get(state.font ?? defaultFont ?? 0), isEscaped));
  }

  function write(text: string): void {
    switch (state.destination) {
      case 'BODY':
        if (state.isDeleted) draft.deletedCharacters += text.length;
        else {
          if (state.isHidden) draft.hiddenCharacters += text.length;
          flow().addText(text, state, link());
        }
        return;
      case 'FONTS':
        takeFontName(text);
        return;
      case 'INSTRUCTION': {
        const current = field();
        if (current !== undefined) current.instruction += text;
        return;
      }
      case 'SKIPPED':
      case 'INFO':
        return;
      default:
        collected += text;
    }
  }

  function takeFontName(text: string): void {
    for (const [index, part] of text.split(';').entries()) {
      if (index > 0) {
        const { number, ...named } = font;
        fonts.set(number, { ...named, name: named.name.trim() });
        font = { ...font, name: '' };
      }
      font = { ...font, name: font.name + part };
    }
  }

  function collect(destination: RtfDestination, take: (text: string) => void): void {
    const outer = collected;
    collected = '';
    state.destination = destination;
    onClose(() => {
      take(collected);
      collected = outer;
    });
  }

  function startFlow(take: (blocks: OfficeContentNode[]) => void): void {
    flows.push(createRtfFlow());
    state.paragraph = firstState.paragraph;
    onClose(() => {
      flow().endParagraph(state.paragraph, styleOf(state));
      take(flows.pop()?.blocks.finish() ?? []);
    });
  }

  const styleOf = ({ paragraph }: RtfState): RtfStyle | undefined =>
    paragraph.style === undefined ? undefined : styles.get(paragraph.style);

  function startNote(): void {
    let noteType = 'footnote';
    const isOutside = state.destination !== 'BODY';
    startFlow((blocks) => {
      if (isOutside) return;
      trimStart(blocks);
      notes += 1;
      const text = blocks.map((block) => block.text ?? '').join(' ');
      const metadata = { noteType, noteId: String(notes) };
      flow().addNote({ type: 'note', text, children: blocks, metadata } as OfficeContentNode);
    });
    endnote = () => {
      noteType = 'endnote';
    };
  }
  let endnote = (): void => {};

  /** Begins what a group is; returns whether the word names that. */
  function startDestination(name: string): boolean {
    if (state.destination === 'SKIPPED') {
      // The part of a text that is written twice that new programs read.
      if (name === 'ud') state.destination = groups.at(-2)?.before.destination ?? 'BODY';
      return true;
    }
    if (name === 'objdata') draft.warn(documentProblems.OBJECT_LEFT_OUT.reason({}));
    if (skippedDestinations.has(name)) {
      state.destination = 'SKIPPED';
      return true;
    }
    switch (name) {
      case 'title':
        if (state.destination === 'INFO') collect('TITLE', (text) => (draft.title ??= text.trim() || null));
        return state.destination === 'TITLE';
      case 'listtext':
      case 'pntext':
        collect('LABEL', (text) => (flow().label = text));
        return true;
      case 'footnote':
        startNote();
        return true;
      case 'annotation':
        draft.comments += 1;
        state.destination = 'SKIPPED';
        return true;
      case 'shptxt':
      case 'dptxbxtext':
        startFlow((blocks) => flow().addBoxes(blocks));
        return true;
      case 'field': {
        const group = groups.at(-1);
        if (group !== undefined) group.field = { instruction: '' };
        return true;
      }
      case 'fldinst':
        if (state.destination === 'BODY') {
          state.destination = 'INSTRUCTION';
          onClose(() => takeInstruction(field()?.instruction ?? ''));
        }
        return true;
      case 'fldrslt': {
        const group = groups.at(-1);
        const target = /^\s*HYPERLINK\s+(?!\\)"?([^"\s]+)"?/i.exec(field()?.instruction ?? '')?.[1];
        if (group !== undefined) group.link = target;
        return true;
      }
      default:
        return startNamed(name);
    }
  }

  function startNamed(name: string): boolean {
    const destination = destinations.get(name);
    if (destination === undefined) return false;
    if (destination === 'RUNNING') {
      collect('RUNNING', (text) => {
        if (text.trim() !== '') draft.runningLines += 1;
      });
    } else if (destination === 'STYLES') {
      collect('STYLES', () => undefined);
    } else state.destination = destination;
    return true;
  }

  /** A field whose instruction is its text: a character of a font. */
  function takeInstruction(instruction: string): void {
    const [, code, named] = /^\s*SYMBOL\s+(0x[\da-f]+|\d+)(?:.*?\\f\s*"?([^"\\]+)"?)?/i.exec(instruction) ?? [];
    if (code === undefined) return;
    const symbol = String.fromCharCode(Number(code) & 0xff);
    const charset = named === undefined ? 1 : 2;
    const text = decoder.decode(symbol, { name: named?.trim() ?? '', charset, page: undefined }, true);
    const outer = groups.at(-1)?.before.destination;
    if (outer === 'BODY') flow().addText(text, state, link());
  }

  function takeWord(name: string, value: number | undefined): void {
    const wasMarked = isMarked;
    isMarked = false;
    if (name === 'u') {
      const code = (value ?? 0) & 0xffff;
      // Programs write the codes of fonts of signs in the private area.
      const own = fonts.get(state.font ?? defaultFont ?? 0);
      const isSign = own?.charset === 2 && code >= 0xf000 && code <= 0xf0ff;
      write(isSign ? decoder.decode(String.fromCharCode(code & 0xff), own, true) : String.fromCharCode(code));
      toSkip = state.fallback;
      return;
    }
    if (toSkip > 0) {
      toSkip -= 1;
      return;
    }
    if (startDestination(name)) return;
    if (wasMarked && !readDestinations.has(name)) {
      state.destination = 'SKIPPED';
      return;
    }
    const character = characterWords.get(name);
    if (character !== undefined) write(character);
    else if (!applyFormat(state, name, value)) takeOtherWord(name, value);
  }

  function takeOtherWord(name: string, value: number | undefined): void {
    switch (name) {
      case 'deff':
        defaultFont = value;
        return;
      case 'fcharset':
        font = { ...font, charset: value ?? 1 };
        return;
      case 'cpg':
        font = { ...font, page: value };
        return;
      case 'ftnalt':
        endnote();
        return;
      default:
        if (state.destination === 'BODY') takeBlockWord(name, flow(), state, { style: styleOf(state), cell });
        else if (name === 'par' || name === 'line') write(' ');
    }
  }

  function takeText(token: { bytes: string; isEscaped: boolean }): void {
    const skipped = Math.min(toSkip, token.bytes.length);
    toSkip -= skipped;
    const rest = token.bytes.slice(skipped);
    if (rest === '') return;
    if (state.destination === 'FONTS' && !token.isEscaped) {
      takeFontName(rest);
      return;
    }
    // Of a character of two bytes, the second one may be ASCII and not escaped.
    const plain = token.isEscaped ? (bytes.isEscaped ? '' : bytes.text) : bytes.isEscaped ? rest : '';
    if (beyondAscii.test(plain)) flush();
    bytes = { text: bytes.text + rest, isEscaped: bytes.isEscaped || token.isEscaped };
  }

  function open(): void {
    groups.push({ before: state, onClose: [], field: undefined, link: undefined });
    state = { ...state };
    isMarked = false;
    toSkip = 0;
  }

  function close(): void {
    const group = groups.at(-1);
    // The last paragraph needs no end of its own.
    if (groups.length === 1) flow().endParagraph(state.paragraph, styleOf(state));
    for (const act of group?.onClose.toReversed() ?? []) act();
    if (state.destination === 'STYLES' && group !== undefined && group.before.destination === 'STYLES') {
      styles.set(state.paragraph.style ?? 0, {
        name: collected.replace(/;.*$/s, '').trim(),
        outlineLevel: state.paragraph.outlineLevel,
      });
      collected = '';
    }
    groups.pop();
    if (group !== undefined) state = group.before;
    toSkip = 0;
  }

  return {
    take(token) {
      if (token.kind === 'text') {
        isOpening = false;
        takeText(token);
        return;
      }
      flush();
      const wasOpening = isOpening;
      isOpening = token.kind === 'open' || (wasOpening && token.kind === 'symbol');
      if (token.kind === 'open') open();
      else if (token.kind === 'close') close();
      else if (token.kind === 'word') {
        if (state.destination === 'FONTS' && token.name === 'f')
          font = { ...font, number: token.value ?? 0, name: '', charset: 1, page: undefined };
        else takeWord(token.name, token.value);
      } else if (token.kind === 'symbol') {
        if (token.character === '*') isMarked = wasOpening;
        else takeSymbol(token.character);
      }
    },
    finish() {
      flush();
      while (groups.length > 0) close();
      flow().endParagraph(state.paragraph, styleOf(state));
      for (const [name, count] of decoder.unknownSymbols)
        draft.warn(documentProblems.SYMBOLS_UNKNOWN.reason({ count, font: name }));
      return flow().blocks.finish();
    },
  };

  function takeSymbol(character: string): void {
    if (toSkip > 0) {
      toSkip -= 1;
      return;
    }
    const written = characterSymbols.get(character);
    if (written !== undefined) write(written);
    // A line end behind a backslash ends a paragraph.
    else if (character === '\n' || character === '\r') takeWord('par', undefined);
  }
}

/** The number of a note is followed by a space that is not part of its text. */
function trimStart(blocks: readonly OfficeContentNode[]): void {
  const [first] = blocks;
  const run = first?.children?.[0];
  if (first === undefined || run?.type !== 'text') return;
  run.text = (run.text ?? '').trimStart();
  first.text = (first.text ?? '').trimStart();
}
