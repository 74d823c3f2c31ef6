import { listErrorCatalogues, sentencesOf, type ErrorParams } from './errors.ts';
import type { Reason, Sentence } from './reason.ts';

/**
 * Code → sentence; its `{name}`s are the values, and `{name|row|rows}` is a singular or plural word. The service
 * stores and logs sentences in English; its responses also carry code and values, so that a client can show the
 * sentence in another language.
 */
export type SentenceCatalogue = Readonly<Record<string, string>>;

/** Writes a sentence: as its text alone, or as a reason with code and values, which may be reasons themselves. */
export type SentenceFactory<Values> = {
  (params: Values): string;
  reason(params: { readonly [Name in keyof Values]: Values[Name] | Reason }): Reason;
};

export type SentenceFactories<C extends SentenceCatalogue> = {
  readonly [Code in keyof C]: SentenceFactory<ErrorParams<C[Code]>>;
};

/** `{name}`, or `{name|one|many}`. */
const placeholder = /\{(\w+)(?:\|([^{}|]*)\|([^{}|]*))?\}/g;
/** Longer texts are not matched, which keeps matching fast. */
const maxLength = 4_000;
/** A sentence with fewer letters of its own around the values would match third-party texts. */
const minOwnLetters = 4;
/** Patterns are indexed by this many letters at one end of the text. */
const edgeLength = 3;

const catalogues = new Map<string, SentenceCatalogue>();
let patterns: (Patterns & { declared: number }) | undefined;

/** Declares sentences and returns one factory per code, which writes it; `name` is its heading in `docs/errors.md`. */
export function defineSentences<const C extends SentenceCatalogue>(name: string, catalogue: C): SentenceFactories<C> {
  catalogues.set(name, catalogue);
  const factories = Object.entries(catalogue).map(([code, text]) => [code, factoryOf(code, text)]);
  return Object.fromEntries(factories) as SentenceFactories<C>;
}

/** All catalogues of sentences declared so far. */
export function listSentenceCatalogues(): ReadonlyMap<string, SentenceCatalogue> {
  return catalogues;
}

/**
 * Finds the code and values of a sentence of any catalogue, errors included, by its words; null for other texts. Its
 * values are guessed where they contain words of the sentence, so whoever has the reason itself stores that instead.
 */
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

/** A sentence with its plural words. */
export function withManyWords(text: string): string {
  return text.replaceAll(placeholder, (whole, _name, _one, many: string | undefined) => many ?? whole);
}

function factoryOf(code: string, text: string): SentenceFactory<Readonly<Record<string, string | number>>> {
  const write = writerOf(text);
  const reason = (params: Readonly<Record<string, string | number | Reason>>): Reason => {
    const texts = Object.entries(params).map(([name, value]) => [name, typeof value === 'object' ? value.text : value]);
    return { text: write(Object.fromEntries(texts)), sentence: { code, params: sentencesOf(params) } };
  };
  return Object.assign(write, { reason });
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
  /** Its longest literal part: a text without it can't match. */
  core: string;
  ownLetters: number;
  names: readonly string[];
  exact: RegExp;
};

type PatternsByEdge = ReadonlyMap<string, readonly Pattern[]>;

/** Sentences by their first letters; those that begin with a value by their last letters; `open`: all others. */
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

/** The pattern of a text, also if its first letter was capitalized. */
function findPattern(text: string): FoundPattern | undefined {
  if (text.length > maxLength) return undefined;
  const small = text.charAt(0).toLowerCase() + text.slice(1);
  return findExactly(text) ?? (small === text ? undefined : findExactly(small));
}

/** The most specific sentence with the same first letters, else one that begins with a value. */
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
  const usable = all.filter(({ names, ownLetters }) => names.length === 0 || ownLetters >= minOwnLetters);
  const isHeaded = ({ head, names }: Pattern): boolean => head.length === edgeLength || names.length === 0;
  const isTailed = ({ tail }: Pattern): boolean => tail.length === edgeLength;
  const headless = usable.filter((pattern) => !isHeaded(pattern));
  patterns = {
    declared,
    byHead: Map.groupBy(usable.filter(isHeaded), ({ head }) => head),
    byTail: Map.groupBy(headless.filter(isTailed), ({ tail }) => tail),
    open: headless.filter((pattern) => !isTailed(pattern)),
  };
  return patterns;
}

/** Converts a numeric text to a number and a catalogued text to a sentence; returns any other text unchanged. */
function valueOf(text: string): string | number | Sentence {
  if (String(Number(text)) === text && Number.isFinite(Number(text))) return Number(text);
  return text.includes(' ') ? (readSentence(text) ?? text) : text;
}
