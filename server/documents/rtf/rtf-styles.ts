import type { RtfStyle } from './rtf-blocks.ts';
import type { RtfParagraph } from './rtf-state.ts';

/** The stylesheet. */
export type RtfStyles = {
  /** Defines the style that a paragraph of the stylesheet names; its text is the name, up to a semicolon. */
  define(paragraph: RtfParagraph, text: string): void;
  of(paragraph: RtfParagraph): RtfStyle | undefined;
};

export function createRtfStyles(): RtfStyles {
  const styles = new Map<number, RtfStyle>();
  return {
    define({ style, outlineLevel }, text) {
      styles.set(style ?? 0, { name: text.replace(/;.*$/s, '').trim(), outlineLevel });
    },
    of({ style }) {
      return style === undefined ? undefined : styles.get(style);
    },
  };
}
