import { listErrorCatalogues, type ErrorParams } from './errors.ts';

/**
 * Code → sentence; its `{name}`s are the values, and `{name|row|rows}` is the word for one of them or for several. The service stores and logs sentences in English; its answers carry
 * code and values beside them, so that a client can say the same in another language.
 */
export type SentenceCatalogue = Readonly<Record<string, string>>;

/** The values of a sentence by name; a value may be a sentence itself. */
export type SentenceParams = { readonly [name: string]: string | number | Sentence };

export type Sentence = { readonly code: string; readonly params: SentenceParams };

export type SentenceFactories<C extends SentenceCatalogue> = {
  readonly [Code in keyof C]: (params: ErrorParams<C[Code]>) => string;
};

/** A text `reason` with its code and values: null for a text that no catalogue has. */
export type Coded<Name extends string, Text = string | null> = Record<Name, Text> &
  Record<`${Name}Code`, string | null> &
  Record<`${Name}Params`, SentenceParams | null>;

/** `{name}`, or `{name|one|many}`. */
const placeholder = /\{(\w+)(?:\|([^{}|]*)\|([^{}|]*))?\}/g;
/** A longer text is no sentence: matching stays quick. */
const maxLength = 4_000;
/** With fewer letters of its own around the values, a sentence would be found in texts of other parties. */
const minOwnLetters = 4;
/** Patterns are looked up by that many letters at an end of the text. */
const edgeLength = 3;

const catalogues = new Map<string, SentenceCatalogue>();
let patterns: (Patterns & { declared: number }) | undefined;

/** Declares sentences and returns one function per code, which writes it; `name` is its heading in `docs/errors.md`. */
export function defineSentences<const C extends SentenceCatalogue>(name: string, catalogue: C): SentenceFactories<C> {
  catalogues.set(name, catalogue);
  const factories = Object.entries(catalogue).map(([code, text]) => [code, writerOf(text)]);
  return Object.fromEntries(factories) as SentenceFactories<C>;
}

/** All catalogues of sentences declared so far. */
export function listSentenceCatalogues(): ReadonlyMap<string, SentenceCatalogue> {
  return catalogues;
}

/** The code and values of a sentence of any catalogue, errors included; null for other texts. */
export function readSentence(text: string): Sentence | null {
  const found = findPattern(text);
  if (found === undefined) return null;
  const { pattern, values } = found;
  const params = pattern.names.map((name, at) => [name, valueOf(values[at + 1] ?? '')] as const);
  return { code: pattern.code, params: Object.fromEntries(params) };
}

/** The code alone. */
export function codeOf(text: string): string | null {
  return findPattern(text)?.pattern.code ?? null;
}

/** The sentence of a code as it is declared, with its `{name}`s; undefined for a code of no catalogue. */
export function templateOf(code: string): string | undefined {
  for (const catalogue of catalogues.values())
    if (Object.hasOwn(catalogue, code)) return withManyWords(catalogue[code] ?? '');
  for (const catalogue of listErrorCatalogues().values()) {
    if (Object.hasOwn(catalogue, code)) return catalogue[code]?.[1];
  }
  return undefined;
}

/** A sentence with the words for several. */
export function withManyWords(text: string): string {
  return text.replaceAll(placeholder, (whole, _name, _one, many: string | undefined) => many ?? whole);
}

/** A text under its name, with its code and values beside it. */
export function coded<Name extends string, Text extends string | null>(name: Name, text: Text): Coded<Name, Text> {
  const found = text === null ? null : readSentence(text);
  const fields = { [name]: text, [`${name}Code`]: found?.code ?? null, [`${name}Params`]: found?.params ?? null };
  return fields as Coded<Name, Text>;
}

/** The values of a call's error, of which some may be sentences. */
export function sentenceParams(values: Readonly<Record<string, string | number>>): SentenceParams {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueOf(String(value))]));
}

function writerOf(text: string): (params: Readonly<Record<string, string | number>>) => string {
  const pieces = text.split(placeholder);
  return (params) => {
    let written = pieces[0] ?? '';
    for (let at = 1; at < pieces.length; at += 4) {
      const value = params[pieces[at] ?? ''] ?? '';
      const one = pieces[at + 1];
      written += `${one === undefined ? value : String(value) === '1' ? one : (pieces[at + 2] ?? '')}${pieces[at + 3] ?? ''}`;
    }
    return written;
  };
}

function literally(text = ''): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

type Pattern = {
  code: string;
  head: string;
  tail: string;
  /** Its longest words: a text without them needs no closer look. */
  core: string;
  ownLetters: number;
  names: readonly string[];
  exact: RegExp;
};

type PatternsByEdge = ReadonlyMap<string, readonly Pattern[]>;

/** Sentences by the letters that they begin with; those that begin with a value by the letters that they end with; others. */
type Patterns = { byHead: PatternsByEdge; byTail: PatternsByEdge; open: readonly Pattern[] };

type FoundPattern = { pattern: Pattern; values: RegExpExecArray };

function patternOf([code, text]: readonly [code: string, text: string]): Pattern {
  const pieces = text.split(placeholder);
  const words = pieces.filter((_, at) => at % 4 === 0);
  const names = pieces.filter((_, at) => at % 4 === 1 && pieces[at + 1] === undefined);
  let source = literally(words[0]);
  for (let at = 1; at < pieces.length; at += 4) {
    const one = pieces[at + 1];
    source += one === undefined ? '(.*?)' : `(?:${literally(one)}|${literally(pieces[at + 2])})`;
    source += literally(pieces[at + 3]);
  }
  return {
    code,
    head: (words[0] ?? '').slice(0, edgeLength),
    tail: (words.at(-1) ?? '').slice(-edgeLength),
    core: words.reduce((longest, word) => (word.length > longest.length ? word : longest), ''),
    ownLetters: withManyWords(text).replaceAll(/\{\w+\}|\P{L}/gu, '').length,
    names,
    exact: new RegExp(`^${source}$`, 's'),
  };
}

/** The pattern of a text, also of one that was made the beginning of a line: with a capital letter. */
function findPattern(text: string): FoundPattern | undefined {
  if (text.length > maxLength) return undefined;
  const small = text.charAt(0).toLowerCase() + text.slice(1);
  return findExactly(text) ?? (small === text ? undefined : findExactly(small));
}

/** Of the sentences that begin like the text the most specific one, else one that begins with a value. */
function findExactly(text: string): FoundPattern | undefined {
  const { byHead, byTail, open } = patternsByEdge();
  const first = (candidates: readonly Pattern[] = []): FoundPattern | undefined => {
    for (const pattern of candidates) {
      const values = text.includes(pattern.core) ? pattern.exact.exec(text) : null;
      if (values !== null) return { pattern, values };
    }
    return undefined;
  };
  const headed = first(byHead.get(text.slice(0, edgeLength)));
  if (headed !== undefined) return headed;
  const tailed = first(byTail.get(text.slice(-edgeLength)));
  const better = tailed === undefined ? open : open.filter((one) => one.ownLetters > tailed.pattern.ownLetters);
  return first(better) ?? tailed;
}

function patternsByEdge(): Patterns {
  const declared = catalogues.size + listErrorCatalogues().size;
  if (patterns?.declared === declared) return patterns;
  const texts = [...catalogues.values()].flatMap((catalogue) => Object.entries(catalogue));
  const errors = [...listErrorCatalogues().values()].flatMap((catalogue) =>
    Object.entries(catalogue).map(([code, [, text]]) => [code, text] as const),
  );
  const all = [...texts, ...errors].map(patternOf).toSorted((one, other) => other.ownLetters - one.ownLetters);
  const told = all.filter(({ names, ownLetters }) => names.length === 0 || ownLetters >= minOwnLetters);
  const isHeaded = ({ head, names }: Pattern): boolean => head.length === edgeLength || names.length === 0;
  const isTailed = ({ tail }: Pattern): boolean => tail.length === edgeLength;
  const headless = told.filter((pattern) => !isHeaded(pattern));
  patterns = {
    declared,
    byHead: Map.groupBy(told.filter(isHeaded), ({ head }) => head),
    byTail: Map.groupBy(headless.filter(isTailed), ({ tail }) => tail),
    open: headless.filter((pattern) => !isTailed(pattern)),
  };
  return patterns;
}

/** A figure as a number, a sentence as such, any other value as it is written. */
function valueOf(text: string): string | number | Sentence {
  if (String(Number(text)) === text && Number.isFinite(Number(text))) return Number(text);
  return text.includes(' ') ? (readSentence(text) ?? text) : text;
}
