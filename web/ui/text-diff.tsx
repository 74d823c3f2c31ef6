import { useMemo } from 'react';
import { aroundChanges, comparePieces, showInvisible } from './text-comparison.ts';

const contextCharacters = 90;

/**
 * Before and after in one text: deletions struck through, insertions underlined, each in its colour. `brief` omits what
 * is far from any change.
 */
export function TextDiff({ before, after, brief = false }: { before: string; after: string; brief?: boolean }) {
  const pieces = useMemo(() => {
    const all = comparePieces(before, after);
    return brief ? aroundChanges(all, contextCharacters) : all;
  }, [before, after, brief]);
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
