import type { RtfState } from './rtf-state.ts';
import type { RtfFont } from './rtf-text.ts';

/** The font table, which is complete before the text begins. */
export type RtfFonts = {
  /** Names the font of text that sets none. */
  setDefault(number: number | undefined): void;
  startFont(number: number): void;
  setCharset(charset: number): void;
  setPage(page: number | undefined): void;
  /** Adds to the name of the font that was started; a semicolon ends the font. */
  addName(text: string): void;
  of(state: RtfState): RtfFont | undefined;
};

export function createRtfFonts(): RtfFonts {
  const fonts = new Map<number, RtfFont>();
  let defaultFont: number | undefined;
  let font: { number: number } & RtfFont = { number: 0, name: '', charset: 1, page: undefined };
  return {
    setDefault(number) {
      defaultFont = number;
    },
    startFont(number) {
      font = { number, name: '', charset: 1, page: undefined };
    },
    setCharset(charset) {
      font = { ...font, charset };
    },
    setPage(page) {
      font = { ...font, page };
    },
    addName(text) {
      for (const [index, part] of text.split(';').entries()) {
        if (index > 0) {
          const { number, ...named } = font;
          fonts.set(number, { ...named, name: named.name.trim() });
          font = { ...font, name: '' };
        }
        font = { ...font, name: font.name + part };
      }
    },
    of(state) {
      return fonts.get(state.font ?? defaultFont ?? 0);
    },
  };
}
