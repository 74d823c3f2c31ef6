// Parameters that are lists of texts. Clients give a JSON array, or one text with commas as in releases before lists:
// definitions of those releases have such texts.
import { Type, type TObject } from 'typebox';
import { maxWordLength, wordsOf } from './word-list.ts';

/** How a text is cut into items: at commas, with quotation marks round items that contain one; or like a list of words. */
type TextForm = 'COMMAS' | 'WORDS';
type Keyword = { 'x-text-form'?: TextForm };

type ListOptions = {
  title: string;
  description: string;
  default?: readonly string[];
  minItems?: number;
  maxItems?: number;
  /** The maximum length of an item; the form shows long ones one per line. */
  longest?: number;
};

/** A parameter whose value is a list of names or values. */
export function listParam({ maxItems = 5000, longest = 500, ...options }: ListOptions) {
  return Type.Array(Type.String({ minLength: 1, maxLength: longest }), {
    default: [],
    ...options,
    maxItems,
    'x-text-form': 'COMMAS',
  });
}

/** A parameter whose value is a list of words and phrases; the form shows one per line. */
export function wordListParam({ maxItems = 50_000, ...options }: Omit<ListOptions, 'longest'>) {
  return Type.Array(Type.String({ minLength: 1, maxLength: maxWordLength }), {
    default: [],
    ...options,
    maxItems,
    'x-text-form': 'WORDS',
    'x-lines': true,
  });
}

/** A list as clients give it: an array, or a text with commas. */
export type GivenList = string | readonly string[];

/** The items of a list without repetitions; in a text, an item that contains a comma is in quotation marks. */
export function itemsOf(list: GivenList): string[] {
  return [...new Set(typeof list === 'string' ? itemsIn(list) : list)];
}

/** The words of a list without repetitions, as `wordsOf` reads them from a text. */
export function wordsIn(list: GivenList): string[] {
  return typeof list === 'string' ? wordsOf(list) : [...new Set(list)];
}

function itemsIn(text: string): string[] {
  return Array.from(text.matchAll(/"((?:[^"]|"")*)"|[^,，\s"](?:[^,，"]*[^,，\s"])?/g), ([whole, quoted]) =>
    quoted === undefined ? whole : quoted.replaceAll('""', '"'),
  );
}

/** Parameters with texts cut into lists, where the schema has lists. */
export function withLists<Params>(schema: TObject, params: Params): Params {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return params;
  const lists: Record<string, readonly string[]> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const form = (property as Keyword)['x-text-form'];
    const value: unknown = Object.hasOwn(params, name)
      ? (params as Readonly<Record<string, unknown>>)[name]
      : undefined;
    if (form !== undefined && typeof value === 'string')
      lists[name] = form === 'WORDS' ? wordsIn(value) : itemsOf(value);
  }
  return { ...params, ...lists };
}
