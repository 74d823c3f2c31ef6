import type { OfficeContentNode } from 'officeparser';

/** A letter, digit or mark of a script that puts spaces between words. */
const wordCharacter =
  /(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}\p{M}'’]/u;
const wordEnd = new RegExp(`(?:${wordCharacter.source})+$`, 'u');
const wordStart = new RegExp(`^(?:${wordCharacter.source})+`, 'u');

/**
 * Makes words whole of which a part is set otherwise: with marks inside, as in `**W**ombats`, nobody would find them.
 * The word has the formatting that all of its parts have, and the link that one of them has. Modifies `nodes`.
 */
export function makeWordsWhole(nodes: readonly OfficeContentNode[]): void {
  for (const node of nodes) {
    for (const inner of [node.children, node.notes, node.comments]) if (inner !== undefined) makeWordsWhole(inner);
    if (node.children !== undefined && node.children.length > 1) node.children = joined(node.children);
  }
}

function joined(runs: readonly OfficeContentNode[]): OfficeContentNode[] {
  const all: OfficeContentNode[] = [];
  for (const run of runs) {
    // Raised text and runs without text may leave empty runs between the parts of a word.
    if (isText(run) && run.text === '' && (run.notes?.length ?? 0) === 0) continue;
    const before = all.at(-1);
    if (before === undefined || !isText(before) || !isText(run) || (before.notes?.length ?? 0) > 0) {
      all.push(run);
      continue;
    }
    if (isAlike(before, run)) {
      all[all.length - 1] = changed(before, { ...notesOf(run), text: `${before.text ?? ''}${run.text ?? ''}` });
      continue;
    }
    const [end = ''] = wordEnd.exec(before.text ?? '') ?? [];
    const [start = ''] = wordStart.exec(run.text ?? '') ?? [];
    if (end === '' || start === '') {
      all.push(run);
      continue;
    }
    all.pop();
    const rest = (run.text ?? '').slice(start.length);
    const word = changed(before, {
      ...(rest === '' ? notesOf(run) : {}),
      text: end + start,
      formatting: sharedFormatting(before, run),
      ...linkOf(before, run),
    });
    const head = (before.text ?? '').slice(0, -end.length);
    if (head !== '') all.push(changed(before, { text: head }));
    all.push(word);
    if (rest !== '') all.push(changed(run, { text: rest }));
  }
  return all;
}

function changed(node: OfficeContentNode, changes: object): OfficeContentNode {
  return { ...node, ...changes };
}

function isText({ type, children }: OfficeContentNode): boolean {
  return type === 'text' && (children?.length ?? 0) === 0;
}

function notesOf({ notes, comments }: OfficeContentNode): object {
  return { ...(notes === undefined ? {} : { notes }), ...(comments === undefined ? {} : { comments }) };
}

const shown = ['bold', 'italic', 'strikethrough', 'superscript', 'subscript'] as const;

function isAlike(one: OfficeContentNode, other: OfficeContentNode): boolean {
  return (
    targetOf(one) === targetOf(other) &&
    shown.every((kind) => (one.formatting?.[kind] === true) === (other.formatting?.[kind] === true))
  );
}

function sharedFormatting(one: OfficeContentNode, other: OfficeContentNode): object {
  return Object.fromEntries(
    shown.map((kind) => [kind, one.formatting?.[kind] === true && other.formatting?.[kind] === true]),
  );
}

function targetOf({ metadata }: OfficeContentNode): string | undefined {
  return (metadata as { link?: string } | undefined)?.link;
}

function linkOf(one: OfficeContentNode, other: OfficeContentNode): object {
  const linked = targetOf(one) === undefined ? other : one;
  return linked.metadata === undefined ? {} : { metadata: linked.metadata };
}
