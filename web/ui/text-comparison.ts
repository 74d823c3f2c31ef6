import { diffLines, diffWordsWithSpace } from 'diff';

export type Piece = { text: string; kind: 'same' | 'removed' | 'added' };

const comparedCharacters = 20_000;
const usualTimeoutMs = 100;

/**
 * The changes of a text: first by lines, which is fast for texts of any length, then by words within changed lines.
 * Parts too different to be compared in time are shown whole, before and after.
 */
export function comparePieces(before: string, after: string, timeoutMs = usualTimeoutMs): Piece[] {
  if (before === after) return before === '' ? [] : [{ text: before, kind: 'same' }];
  const endMs = performance.now() + timeoutMs;
  const changes = diffLines(before, after, { timeout: timeoutMs });
  if (changes === undefined) return compareBlocks(before, after, endMs);
  const pieces: Piece[] = [];
  for (let index = 0; index < changes.length; index += 1) {
    const change = changes[index];
    const next = changes[index + 1];
    if (change === undefined) break;
    if (change.removed && next?.added === true) {
      pieces.push(...compareBlocks(change.value, next.value, endMs));
      index += 1;
    } else pieces.push({ text: change.value, kind: change.added ? 'added' : change.removed ? 'removed' : 'same' });
  }
  return joined(pieces);
}

/** Compares changed blocks word by word; large ones line by line, if both sides have equally many lines. */
function compareBlocks(before: string, after: string, endMs: number): Piece[] {
  if (Math.max(before.length, after.length) <= comparedCharacters) return compareWords(before, after, endMs);
  const [old, young] = [linesOf(before), linesOf(after)];
  if (old.length !== young.length || old.length < 2) return whole(before, after);
  return old.flatMap((line, index) => compareWords(line, young[index] ?? '', endMs));
}

function compareWords(before: string, after: string, endMs: number): Piece[] {
  if (before === after) return [{ text: before, kind: 'same' }];
  const timeout = endMs - performance.now();
  const isLong = Math.max(before.length, after.length) > comparedCharacters;
  const changes = isLong || timeout <= 0 ? undefined : diffWordsWithSpace(before, after, { timeout });
  return (
    changes?.map(({ value, added, removed }): Piece => ({
      text: value,
      kind: added ? 'added' : removed ? 'removed' : 'same',
    })) ?? whole(before, after)
  );
}

function whole(before: string, after: string): Piece[] {
  const pieces: Piece[] = [
    { text: before, kind: 'removed' },
    { text: after, kind: 'added' },
  ];
  return pieces.filter(({ text }) => text !== '');
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Merges adjacent pieces of one kind. */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const { text, kind } of pieces) {
    const last = result.at(-1);
    if (last?.kind === kind) last.text += text;
    else result.push({ text, kind });
  }
  return result;
}

const ellipsis = '…';

/** The changes with this many characters of context, so that they are not buried in unchanged text. */
export function aroundChanges(pieces: readonly Piece[], contextCharacters: number): Piece[] {
  return pieces.map(({ text, kind }, index) => {
    if (kind !== 'same') return { text, kind };
    const head = index === 0 ? '' : text.slice(0, contextCharacters);
    const tail = index === pieces.length - 1 ? '' : text.slice(-contextCharacters);
    if (head.length + tail.length + 2 >= text.length) return { text, kind };
    return { text: `${head}${ellipsis}${tail}`, kind };
  });
}

/** Makes invisible characters visible: they may be exactly what a step removed. */
export function showInvisible(text: string): string {
  return text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u202f]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '␡' : `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
