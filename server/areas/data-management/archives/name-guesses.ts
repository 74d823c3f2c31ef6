import { nameLanguages, type NameEncoding, type NameLanguage } from './name-languages.ts';

/** Decodes names; undefined for bytes that are invalid in the encoding. */
export type NameDecoder = (raw: Buffer) => string | undefined;

/**
 * Orders the encodings of names by how likely their bytes are, the likeliest first: in each language that an encoding serves, a
 * text costs the sum of `-log p` of its characters, given the frequency of its letters and what may stand beside them. All names
 * count together. `languages` are those of the reader, as BCP 47 tags, the preferred one first.
 */
export function rankNameEncodings(
  names: readonly Buffer[],
  languages: readonly string[],
  decoderOf: (encoding: NameEncoding) => NameDecoder,
): NameEncoding[] {
  const costs = new Map<NameEncoding, number>();
  const texts = new Map<NameEncoding, (string | undefined)[]>();
  let least = Infinity;
  for (const language of nameLanguages)
    for (const [index, encoding] of language.encodings.entries()) {
      const decode = decoderOf(encoding);
      const decoded = texts.get(encoding) ?? names.map((raw) => decode(raw));
      texts.set(encoding, decoded);
      let cost =
        (rareEncodings[encoding] ?? index * secondEncodingCost) + language.rarity - hintOf(language, languages);
      for (const [at, text] of decoded.entries()) {
        if (cost > least + hopelessCost) break;
        cost += text === undefined ? invalidCost + byteCost * (names[at]?.length ?? 0) : costOf(text, language);
      }
      least = Math.min(least, cost);
      costs.set(encoding, Math.min(cost, costs.get(encoding) ?? Infinity));
    }
  return [...costs].toSorted(([, one], [, other]) => one - other).map(([encoding]) => encoding);
}

/** Costs of encodings that are seldom used for names; others cost by their place in the list of their language. */
const rareEncodings: Partial<Record<NameEncoding, number>> = {
  macintosh: 4,
  'x-mac-cyrillic': 6,
  'iso-8859-2': 4,
  'iso-8859-5': 6,
  'euc-jp': 5,
};
const secondEncodingCost = 0.2;
/** How much more than the least cost needs no exact figure. */
const hopelessCost = 60;
const invalidCost = 12;
const byteCost = 6;
/** What the languages of a reader weigh: about half a Chinese character. */
const hintWeights = [3.5, 2, 1.5, 1];

function hintOf({ tag }: NameLanguage, languages: readonly string[]): number {
  const place = languages.findIndex((language) => tagOf(language) === tag);
  return place === -1 ? 0 : (hintWeights[place] ?? 1);
}

/** The tag of a language in our list: of Chinese, the script decides. */
function tagOf(language: string): string {
  const [primary = '', ...rest] = language.toLowerCase().split('-');
  if (primary === 'zh') return rest.some((part) => ['hant', 'tw', 'hk', 'mo'].includes(part)) ? 'zh-Hant' : 'zh-Hans';
  if (primary === 'nb' || primary === 'nn' || primary === 'no') return 'da';
  if (primary === 'sk') return 'cs';
  if (primary === 'hr' || primary === 'sr' || primary === 'bs' || primary === 'sl') return 'sh';
  return primary;
}

/** Costs of characters by language, made when first needed. */
const models = new Map<NameLanguage, ReadonlyMap<string, number>>();

function modelOf(language: NameLanguage): ReadonlyMap<string, number> {
  const known = models.get(language);
  if (known !== undefined) return known;
  const letters = [...language.letters];
  // Zipf and Mandelbrot: flat at the beginning, because names use other words than texts.
  const { offset, exponent } =
    language.script === 'ideographic' ? { offset: 30, exponent: 1 } : { offset: 3, exponent: 1.2 };
  const weights = letters.map((_letter, rank) => (rank + offset) ** -exponent);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const share = commonShares[language.script];
  const model = new Map(letters.map((letter, rank) => [letter, -Math.log((share * (weights[rank] ?? 0)) / sum)]));
  models.set(language, model);
  return model;
}

/** The share of listed letters among all characters of names. */
const commonShares = { accented: 0.06, own: 0.7, ideographic: 0.5 } as const;

const asciiCost = 3.6;
const controlCost = 25;
const backslashCost = 12;
const symbolCost = 11;
const unassignedCost = 25;
const otherLetterCosts = { accented: 10, own: 10, ideographic: 10.5 } as const;
/** A letter of a script of its own beside an ASCII letter. */
const mixedCosts = { accented: 0, own: 4.5, ideographic: 1.2 } as const;
const upperInsideCost = 4;
const firstCosts = { upper: 0.6, lower: 0.8 } as const;
/** Marks that are common in names of ideographic scripts, and in those of others. */
const wideMarks = /^[、。「」『』《》【】〈〉・ー々〜～（），：！？；－＋＆＿・０-９Ａ-Ｚａ-ｚ　]$/u;
const plainMarks = /^[«»“”‘’–—…°№€£©®´·¿¡ªº²³\u00a0]$/u;
const wideMarkCost = 6.5;
const plainMarkCost = 8.5;
const halfwidthCosts = { alone: 9, inRow: 4.6 } as const;

/** Pairs of letters that words with accents seldom have: two vowels of which one has an accent, `Łr`. */
const clashes = /[aeiou][áéíóúàèìòùâêîôûăąęėõ]|[áéíóúàèìòùâêîôûăąęė][aeou]|[łğñçßţ][b-df-hj-np-tv-xz]/iu;
const clashCost = 1;

type Kind = 'edge' | 'ascii' | 'lower' | 'upper' | 'halfwidth' | 'symbol';

function costOf(text: string, language: NameLanguage): number {
  const model = modelOf(language);
  const { script } = language;
  let cost = 0;
  let before: Kind = 'edge';
  let last = '';
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    let kind: Kind;
    if (point < 0x80) {
      const isLetter = (point >= 0x61 && point <= 0x7a) || (point >= 0x41 && point <= 0x5a);
      kind = isLetter ? 'ascii' : 'edge';
      cost += point === 0x5c ? backslashCost : point < 0x20 || point === 0x7f ? controlCost : asciiCost;
      if (isLetter && (before === 'lower' || before === 'upper')) cost += mixedCosts[script];
      // ASCII letters after accented ones tell nothing; a capital inside a word does.
      if (isLetter && before === 'lower' && character < 'a') cost += 1;
    } else if (point >= 0xff61 && point <= 0xff9f) {
      kind = 'halfwidth';
      cost += language.tag !== 'ja' ? symbolCost : before === 'halfwidth' ? halfwidthCosts.inRow : halfwidthCosts.alone;
    } else {
      kind = kindOf(character);
      cost += kind === 'symbol' ? markCost(character, script) : letterCost(character, kind, before, model, language);
    }
    if (script === 'accented' && (point > 0x7f || last > '\u007f') && clashes.test(last + character)) cost += clashCost;
    before = kind;
    last = character;
  }
  return cost;
}

/** Kinds of the characters beyond ASCII met so far. */
const kinds = new Map<string, Kind>();
const maxKinds = 20_000;

function kindOf(character: string): Kind {
  const known = kinds.get(character);
  if (known !== undefined) return known;
  const isLetter = /[\p{L}\p{M}]/u.test(character);
  const kind = !isLetter ? 'symbol' : character.toLowerCase() === character ? 'lower' : 'upper';
  if (kinds.size < maxKinds) kinds.set(character, kind);
  return kind;
}

function markCost(character: string, script: NameLanguage['script']): number {
  if (/[\p{Co}\p{Cn}\p{Cc}]/u.test(character)) return unassignedCost;
  if (script === 'ideographic') return wideMarks.test(character) ? wideMarkCost : symbolCost;
  return plainMarks.test(character) ? plainMarkCost : symbolCost;
}

function letterCost(
  character: string,
  kind: Kind,
  before: Kind,
  model: ReadonlyMap<string, number>,
  { script }: NameLanguage,
): number {
  let cost = model.get(character) ?? model.get(character.toLowerCase()) ?? otherLetterCosts[script];
  if (before === 'ascii') cost += mixedCosts[script];
  // Words in capitals are common, capitals inside of words are not.
  if (kind === 'upper' && before !== 'edge') cost += before === 'upper' ? 0.5 : upperInsideCost;
  if (script === 'accented' && before === 'edge') cost += firstCosts[kind === 'upper' ? 'upper' : 'lower'];
  if (kind === 'lower' && before === 'upper') cost += 0.2;
  return cost;
}
