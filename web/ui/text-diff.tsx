import { diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';

export type Piece = { text: string; kind: 'same' | 'removed' | 'added' };

const comparedCharacters = 20_000;
const timeoutMs = 60;

/** What became of a text, word by word; as a whole when the two have too little in common to be compared in time. */
export function comparePieces(before: string, after: string): Piece[] {
  if (before === after) return before === '' ? [] : [{ text: before, kind: 'same' }];
  const isLong = before.length > comparedCharacters || after.length > comparedCharacters;
  const changes = isLong ? undefined : diffWordsWithSpace(before, after, { timeout: timeoutMs });
  const whole: Piece[] = [
    { text: before, kind: 'removed' },
    { text: after, kind: 'added' },
  ];
  return (
    changes?.map(({ value, added, removed }): Piece => ({
      text: value,
      kind: added ? 'added' : removed ? 'removed' : 'same',
    })) ?? whole.filter(({ text }) => text !== '')
  );
}

/** Characters that nobody sees, made visible: what a step took out may be just these. */
export function showInvisible(text: string): string {
  return text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u202f]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '␡' : `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** Before and after in one: what went is struck through, what came is underlined, each in its colour. */
export function TextDiff({ before, after }: { before: string; after: string }) {
  const pieces = useMemo(() => comparePieces(before, after), [before, after]);
  return (
    <div className="diff-text">
      {pieces.map(({ text, kind }, index) => {
        const shown = kind === 'same' ? text : showInvisible(text).replaceAll('\n', '↵\n').replaceAll('\t', '→\t');
        if (kind === 'same') return <span key={index}>{shown}</span>;
        return kind === 'added' ? <ins key={index}>{shown}</ins> : <del key={index}>{shown}</del>;
      })}
    </div>
  );
}
