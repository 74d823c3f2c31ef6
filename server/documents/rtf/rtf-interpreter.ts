import type { OfficeContentNode } from 'officeparser';
import { documentProblems } from '../../kernel/sentences/index.ts';
import type { Draft } from '../draft.ts';
import { takeBlockWord } from './rtf-block-words.ts';
import type { RtfCell } from './rtf-blocks.ts';
import { startDestination } from './rtf-destinations.ts';
import { createRtfDocument } from './rtf-document.ts';
import { takeFormWord } from './rtf-form-fields.ts';
import { applyFormat } from './rtf-state.ts';
import type { RtfToken } from './rtf-tokens.ts';
import { characterSymbols, characterWords, readDestinations } from './rtf-words.ts';

/** Follows the tokens of a document, and builds its blocks. */
export type RtfInterpreter = { take(token: RtfToken): void; finish(): OfficeContentNode[] };

export function createRtfInterpreter(rtf: string, draft: Draft): RtfInterpreter {
  const document = createRtfDocument(rtf, draft);
  const { decoder, fonts, styles, groups, flows, writer } = document;
  /** Characters that only repeat the last one for old programs. */
  let toSkip = 0;
  /** Whether the group has only begun, and whether it is marked as unknown to old programs. */
  let isOpening = false;
  let isMarked = false;
  const cell: RtfCell = { continuesAcross: false, continuesDown: false };

  function takeWord(name: string, value: number | undefined): void {
    const wasMarked = isMarked;
    isMarked = false;
    const { state } = groups;
    if (name === 'u') {
      writer.writeUnit((value ?? 0) & 0xffff);
      toSkip = state.fallback;
      return;
    }
    if (toSkip > 0) {
      toSkip -= 1;
      return;
    }
    if (startDestination(name, document)) return;
    if (wasMarked && !readDestinations.has(name)) {
      state.destination = 'SKIPPED';
      return;
    }
    const character = characterWords.get(name);
    if (character !== undefined) writer.write(character);
    else if (!applyFormat(state, name, value)) takeOtherWord(name, value);
  }

  function takeOtherWord(name: string, value: number | undefined): void {
    switch (name) {
      case 'deff':
        fonts.setDefault(value);
        return;
      case 'fcharset':
        fonts.setCharset(value ?? 1);
        return;
      case 'cpg':
        fonts.setPage(value);
        return;
      case 'ftnalt':
        flows.markEndnote();
        return;
      default: {
        const { state } = groups;
        if (state.destination === 'FORM') takeFormWord(groups.field?.form, name, value);
        else if (state.destination === 'BODY')
          takeBlockWord(name, flows.current, state, { style: styles.of(state.paragraph), cell });
        else if (name === 'par' || name === 'line') writer.write(' ');
      }
    }
  }

  function takeSymbol(character: string): void {
    if (toSkip > 0) {
      toSkip -= 1;
      return;
    }
    const written = characterSymbols.get(character);
    if (written !== undefined) writer.write(written);
    // A line end behind a backslash ends a paragraph.
    else if (character === '\n' || character === '\r') takeWord('par', undefined);
  }

  function takeText({ bytes, isEscaped }: { bytes: string; isEscaped: boolean }): void {
    const skipped = Math.min(toSkip, bytes.length);
    toSkip -= skipped;
    if (skipped < bytes.length) writer.addBytes(bytes.slice(skipped), isEscaped);
  }

  function open(): void {
    groups.open();
    isMarked = false;
    toSkip = 0;
  }

  function close(): void {
    // The last paragraph needs no end of its own.
    if (groups.depth === 1) flows.endParagraph();
    groups.end();
    if (groups.state.destination === 'STYLES' && groups.stateAround()?.destination === 'STYLES')
      styles.define(groups.state.paragraph, writer.takeCollected());
    groups.leave();
    toSkip = 0;
  }

  return {
    take(token) {
      if (token.kind === 'text') {
        isOpening = false;
        takeText(token);
        return;
      }
      writer.flush();
      const wasOpening = isOpening;
      isOpening = token.kind === 'open' || (wasOpening && token.kind === 'symbol');
      if (token.kind === 'open') open();
      else if (token.kind === 'close') close();
      else if (token.kind === 'word') {
        if (groups.state.destination === 'FONTS' && token.name === 'f') fonts.startFont(token.value ?? 0);
        else takeWord(token.name, token.value);
      } else if (token.kind === 'symbol') {
        if (token.character === '*') isMarked = wasOpening;
        else takeSymbol(token.character);
      }
    },
    finish() {
      writer.flush();
      while (groups.depth > 0) close();
      flows.endParagraph();
      for (const [name, count] of decoder.unknownSymbols)
        draft.warn(documentProblems.SYMBOLS_UNKNOWN.reason({ count, font: name }));
      return flows.current.blocks.finish();
    },
  };
}
