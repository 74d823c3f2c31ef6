import { crc32 } from 'node:zlib';
import type { Reason, Sentence, SentenceParams } from './reason.ts';
import { readSentence } from './sentence-catalogue.ts';

/** A text such as `reason` with its code and values, which are null if no catalogue contains the text. */
export type Coded<Name extends string, Text = string | null> = Record<Name, Text> &
  Record<`${Name}Code`, string | null> &
  Record<`${Name}Params`, SentenceParams | null>;

/** The columns of a reason: `cause` and `cause_sentence`. */
export type ReasonColumns<Name extends string> = Record<Name | `${Name}_sentence`, string | null>;

/** What is stored beside a text; without a code, the text is in the words of others. */
type Stored = { of: number; code?: string; params?: SentenceParams };

/** The reason of a text that the service itself wrote without its code, found by its words. */
export function recognized(text: string): Reason {
  return { text, sentence: readSentence(text) };
}

/** The reason of a text: with its sentence where that is known, even that there is none, else found by its words. */
export function reasonWith(text: string, sentence: Sentence | null | undefined): Reason {
  return sentence === undefined ? recognized(text) : { text, sentence };
}

/** Values for the columns of a reason. */
export function reasonColumns<Name extends string>(name: Name, reason: Reason | null): ReasonColumns<Name> {
  const columns = {
    [name]: reason?.text ?? null,
    [`${name}_sentence`]: reason === null ? null : storedSentence(reason),
  };
  return columns as ReasonColumns<Name>;
}

/**
 * JSON for the column beside a reason's text. It names the text that it belongs to, because a process of an earlier
 * release changes the text alone.
 */
export function storedSentence({ text, sentence }: Reason): string {
  return JSON.stringify({ of: crc32(text), ...sentence } satisfies Stored);
}

/** The reason in the columns of a row. If an earlier release wrote the text, its sentence is found by its words. */
export function storedReason<Name extends string>(name: Name, row: ReasonColumns<NoInfer<Name>>): Reason | null {
  const { [name]: text, [`${name}_sentence` as const]: stored } = row as Readonly<Record<string, string | null>>;
  return text === null || text === undefined ? null : reasonFrom(text, stored ?? null);
}

/** The reason of a text, with the JSON that is stored beside it; the text alone is from an earlier release. */
export function reasonFrom(text: string, stored: string | null): Reason {
  if (stored === null) return recognized(text);
  const { of, code, params = {} } = JSON.parse(stored) as Stored;
  if (of !== crc32(text)) return recognized(text);
  const sentence: Sentence | null = code === undefined ? null : { code, params };
  return { text, sentence };
}

/**
 * The sentences of stored texts, in their order. Texts that an earlier release stored have none beside them: they are
 * found by their words.
 */
export function storedSentences(
  texts: readonly string[],
  sentences: readonly (Sentence | null)[] | undefined,
): (Sentence | null)[] {
  return sentences?.length === texts.length ? [...sentences] : texts.map(readSentence);
}

/** Fields for a reason: `name`, `nameCode` and `nameParams`. */
export function codedReason<Name extends string>(name: Name, reason: Reason): Coded<Name, string>;
export function codedReason<Name extends string>(name: Name, reason: Reason | null): Coded<Name>;
export function codedReason<Name extends string>(name: Name, reason: Reason | null): Coded<Name> {
  const { code = null, params = null } = reason?.sentence ?? {};
  const fields = { [name]: reason?.text ?? null, [`${name}Code`]: code, [`${name}Params`]: params };
  return fields as Coded<Name>;
}

/** Fields for a text of the service whose code is found by its words. */
export function coded<Name extends string, Text extends string | null>(name: Name, text: Text): Coded<Name, Text> {
  return codedReason(name, text === null ? null : recognized(text)) as Coded<Name, Text>;
}
