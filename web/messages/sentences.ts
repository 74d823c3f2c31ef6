import i18next from 'i18next';
import { useTranslation } from 'react-i18next';

/** Sentences of the service by code, with `{name}` for their values; English is what the service itself sends. */
export type SentenceTexts = Readonly<Record<string, string>>;

type Sentence = { code: string; params: unknown };

/** A text `reason` of the service, with its `reasonCode` and `reasonParams`. */
type Worded<Name extends string> = Readonly<
  Record<Name | `${Name}Code`, string | null> & Record<`${Name}Params`, unknown>
>;

const textsByLanguage = new Map<string, SentenceTexts>();

export function addSentences(language: string, texts: SentenceTexts): void {
  textsByLanguage.set(language, texts);
}

/** Translates texts of the service into the user's language; `say(entry, 'reason')` is empty if there is no reason. */
export function useSay(): <Name extends string>(worded: Worded<Name>, name: Name) => string {
  const { i18n } = useTranslation();
  return (worded, name) => sayField(worded, name, i18n.language);
}

/** The same outside of components. */
export function sayField<Name extends string>(worded: Worded<Name>, name: Name, language = i18next.language): string {
  const { [name]: text, [`${name}Code`]: code, [`${name}Params`]: params } = worded as Record<string, unknown>;
  if (typeof text !== 'string') return '';
  return typeof code === 'string' ? saySentence({ code, params }, text, language) : text;
}

/** Translates a list of texts, each with its sentence. */
export function sayAll(
  texts: readonly string[],
  sentences: readonly (Sentence | null)[],
  language = i18next.language,
): string[] {
  return texts.map((text, at) => {
    const sentence = sentences[at] ?? null;
    return sentence === null ? text : saySentence(sentence, text, language);
  });
}

/** A sentence in the language, or `original` if the language has none for its code. */
export function saySentence({ code, params }: Sentence, original: string, language: string): string {
  const text = textsByLanguage.get(language)?.[code];
  if (text === undefined) return plain(original);
  const values = (params ?? {}) as Readonly<Record<string, unknown>>;
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => sayValue(values[name], language));
}

/** The common wording of sentences with the same code, with an ellipsis for each value. */
export function sayKind(code: string, original: string, language: string): string {
  return (textsByLanguage.get(language)?.[code] ?? plain(original)).replaceAll(/\{\w+\}/g, '…');
}

/** `NOT_MEANT: the steps …`, as the service writes it for programs, worded for people: `Not meant: the steps …`. */
function plain(text: string): string {
  return text.replace(/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*(?=: )/, (kind) => {
    const words = kind.replaceAll('_', ' ').toLowerCase();
    return words.charAt(0).toUpperCase() + words.slice(1);
  });
}

function sayValue(value: unknown, language: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  const { code = '', params } = (value ?? {}) as Partial<Sentence>;
  return saySentence({ code, params }, code, language);
}
