import {
  codedReason,
  reasonWith,
  storedSentences,
  type Coded,
  type Reason,
  type Sentence,
} from '../../../kernel/sentences/index.ts';
import type { AddOutcome } from '../files/file-commits.ts';

export type RefusedEntry = { path: string; reason: Reason };

/** A refused entry in the receipt of an archive; the sentence is missing in those of an earlier release. */
export type StoredRefusal = { path: string; reason: string; sentence?: Sentence | null };

/** A refused entry with the code of its reason. */
export function refusalOf({ path, reason }: RefusedEntry): { path: string } & Coded<'reason', string> {
  return { path, ...codedReason('reason', reason) };
}

/** A refused entry as a receipt stores it. */
export function storedRefusal({ path, reason: { text, sentence } }: RefusedEntry): StoredRefusal {
  return { path: path.toWellFormed(), reason: text.toWellFormed(), sentence };
}

export function refusalFrom({ path, reason, sentence }: StoredRefusal): RefusedEntry {
  return { path, reason: reasonWith(reason, sentence) };
}

/** Effects with the sentences of their warnings. */
export function withWarnings(effects: IntakeEffects): IntakeEffects & { warningSentences: (Sentence | null)[] } {
  return { ...effects, warningSentences: storedSentences(effects.warnings, effects.warningSentences) };
}

/** What entries did to other files, with the first names of each kind, and warnings for the archive's owner. */
export type IntakeEffects = {
  /** Entries that replaced a file; its content stays in the older version. */
  replaced: number;
  replacedPaths: string[];
  /** Entries added under another name because theirs was taken. */
  renamed: number;
  renames: { path: string; renamedTo: string }[];
  /** Entries that a later one of the same path overwrote: they were not added. */
  overwritten: number;
  overwrittenPaths: string[];
  /** Empty folders of the archive that were created. */
  folders: number;
  /** The encoding in which names not declared as Unicode were read; null if there are none. */
  nameEncoding: string | null;
  /** Number of names read in a guessed encoding. */
  guessedNames: number;
  /** Where the archive contradicts itself, though all entries were read. */
  warnings: string[];
  /** Code and values of each warning; missing in receipts of an earlier release. */
  warningSentences?: (Sentence | null)[];
};

/** The result of an archive: it had `files + refused + overwritten` entries. */
export type IntakeReceipt = {
  files: number;
  bytes: number;
  refused: number;
  /** The first refused entries. */
  refusals: RefusedEntry[];
  effects: IntakeEffects;
};

/** Names of each kind listed in a receipt. */
export const maxNamed = 100;
const maxShownCharacters = 300;

export function noReceipt(): IntakeReceipt {
  return { files: 0, bytes: 0, refused: 0, refusals: [], effects: noEffects() };
}

export function noEffects(): IntakeEffects {
  return {
    replaced: 0,
    replacedPaths: [],
    renamed: 0,
    renames: [],
    overwritten: 0,
    overwrittenPaths: [],
    folders: 0,
    nameEncoding: null,
    guessedNames: 0,
    warnings: [],
  };
}

/** Counts an added entry; of several entries with the same path the last one wins. */
export function noteAdded(
  receipt: IntakeReceipt,
  { file, replaced, isRepeat }: AddOutcome & { kind: 'added' },
  path: string,
): void {
  const { effects } = receipt;
  receipt.bytes += file.size_bytes;
  if (replaced !== undefined && isRepeat) {
    receipt.bytes -= replaced.size_bytes;
    effects.overwritten++;
    if (effects.overwrittenPaths.length < maxNamed) effects.overwrittenPaths.push(shown(path));
    return;
  }
  receipt.files++;
  if (replaced !== undefined) {
    effects.replaced++;
    if (effects.replacedPaths.length < maxNamed) effects.replacedPaths.push(shown(path));
  }
  if (file.path === path) return;
  effects.renamed++;
  if (effects.renames.length < maxNamed) effects.renames.push({ path: shown(path), renamedTo: shown(file.path) });
}

/** The beginning of a name, as a receipt shows it. */
export function shown(name: string): string {
  return [...name].slice(0, maxShownCharacters).join('');
}
