import type { Draft } from '../draft.ts';
import type { RtfFlows } from './rtf-flows.ts';
import type { RtfFonts } from './rtf-fonts.ts';
import type { RtfGroups } from './rtf-groups.ts';
import type { RtfDestination } from './rtf-state.ts';
import { beyondAscii, type RtfDecoder } from './rtf-text.ts';
import { symbolCharset } from './rtf-words.ts';

/** Writes text to where the innermost group has its text. */
export type RtfWriter = {
  /** Adds bytes of text, which are decoded together with those after them. */
  addBytes(bytes: string, isEscaped: boolean): void;
  /** Decodes and writes the bytes that were added. */
  flush(): void;
  write(text: string): void;
  /** Writes a unit of UTF-16. */
  writeUnit(code: number): void;
  /** Keeps the text of the innermost group by itself, until the group ends. */
  collect(destination: RtfDestination, take: (text: string) => void): void;
  /** Takes the text that was kept so far. */
  takeCollected(): string;
};

type Parts = { draft: Draft; decoder: RtfDecoder; fonts: RtfFonts; groups: RtfGroups; flows: RtfFlows };

export function createRtfWriter({ draft, decoder, fonts, groups, flows }: Parts): RtfWriter {
  let bytes = { text: '', isEscaped: false };
  let collected = '';

  const writer: RtfWriter = {
    addBytes(added, isEscaped) {
      if (groups.state.destination === 'FONTS' && !isEscaped) {
        fonts.addName(added);
        return;
      }
      // Of a character of two bytes, the second one may be ASCII and not escaped.
      const plain = isEscaped ? (bytes.isEscaped ? '' : bytes.text) : bytes.isEscaped ? added : '';
      if (beyondAscii.test(plain)) writer.flush();
      bytes = { text: bytes.text + added, isEscaped: bytes.isEscaped || isEscaped };
    },
    flush() {
      const { text, isEscaped } = bytes;
      bytes = { text: '', isEscaped: false };
      if (text !== '') writer.write(decoder.decode(text, fonts.of(groups.state), isEscaped));
    },
    write(text) {
      const { state } = groups;
      switch (state.destination) {
        case 'BODY':
          if (state.isDeleted) draft.deletedCharacters += text.length;
          else {
            if (state.isHidden) draft.hiddenCharacters += text.length;
            flows.current.addText(text, state, groups.link);
            const { field } = groups;
            if (field !== undefined && text.trim() !== '') field.hasText = true;
          }
          return;
        case 'FONTS':
          fonts.addName(text);
          return;
        case 'INSTRUCTION':
          groups.addInstruction(text);
          return;
        case 'SKIPPED':
        case 'INFO':
          return;
        default:
          collected += text;
      }
    },
    writeUnit(code) {
      // Programs write the codes of fonts of signs in the private area.
      const font = fonts.of(groups.state);
      const isSign = font?.charset === symbolCharset && code >= 0xf000 && code <= 0xf0ff;
      const character = String.fromCharCode(isSign ? code & 0xff : code);
      writer.write(isSign ? decoder.decode(character, font, true) : character);
    },
    collect(destination, take) {
      const outer = collected;
      collected = '';
      groups.state.destination = destination;
      groups.onEnd(() => {
        take(collected);
        collected = outer;
      });
    },
    takeCollected() {
      const text = collected;
      collected = '';
      return text;
    },
  };
  return writer;
}
