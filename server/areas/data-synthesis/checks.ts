import { isExactNumber } from '../../kernel/exact-json.ts';
import type { Reason } from '../../kernel/sentences/index.ts';
import { isSampleOperator, operators } from '../../operators/index.ts';
import { createMinhashKernel } from '../../operators/deduplicators/minhash-kernel.ts';
import { hashShingles } from '../../operators/shingles.ts';
import { guardSentences, partsOf, type SampleContent } from './prompts.ts';
import { synthesisReasons as reasons } from './sentences.ts';
import type { Checks } from './schemas/generations.ts';
import type { InstructionDefinition } from './schemas/templates.ts';

/** A generated record. */
export type Output = Readonly<Record<string, unknown>>;

/** MinHash of a text: the share of equal entries in two signatures estimates the share of common word runs. */
export type TextSignature = Uint32Array;

const permutations = 64;
const shingleWords = 3;
const shinglesAtOnce = 8192;
const kernel = createMinhashKernel(permutations);

/** The signature of a text; undefined if it has no words. */
export function signatureOf(text: string): TextSignature | undefined {
  let count = 0;
  let total = 0;
  kernel.start();
  hashShingles(text, shingleWords, (shingle) => {
    if (count === shinglesAtOnce) {
      kernel.take(count);
      count = 0;
    }
    kernel.shingles[count] = shingle;
    count += 1;
    total += 1;
  });
  kernel.take(count);
  return total === 0 ? undefined : Uint32Array.from(kernel.minima);
}

/** Estimate of the Jaccard index of two texts. */
export function similarityOf(one: TextSignature, other: TextSignature): number {
  let same = 0;
  for (let at = 0; at < permutations; at += 1) if (one[at] === other[at]) same += 1;
  return same / permutations;
}

/** All texts of a record, in order. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return [];
  return Object.values(value).flatMap(textsOf);
}

export function textOfRecord(output: Output): string {
  return textsOf(output).join('\n');
}

const refusals = [
  /^\W*(?:i['’]?m sorry|i am sorry|sorry,|i apologi[sz]e|unfortunately,? i)\b.{0,80}\b(?:can(?:['’]t|not)|unable|won['’]t)\b/i,
  /^\W*(?:i (?:can(?:['’]t|not)|am unable to|am not able to|won['’]t)|as an ai\b|as a (?:large )?language model\b)/i,
  /^\W*(?:很?抱歉|对不起|不好意思)[，,]?.{0,20}(?:无法|不能|没办法)/,
  /^\W*(?:作为(?:一[个名位])?(?:人工智能|AI|语言模型|大模型)|我(?:无法|不能)(?:回答|提供|满足|完成|协助))/i,
];

const marks = /\{\{[^{}]*\}\}|<\/?text>|<\/?field\b|<\|(?:im_start|im_end|endoftext|eot_id)\|>|\[\/?INST\]/i;
/** Shorter sentences of a prompt may legitimately occur in a reply. */
const tellingLength = 30;

/** Sentences of a prompt that a reply must not repeat. */
export function tellingSentences({
  systemPrompt,
  prompt,
}: Pick<InstructionDefinition, 'systemPrompt' | 'prompt'>): string[] {
  const words = [systemPrompt ?? '', prompt].flatMap(partsOf).flatMap((part) => ('words' in part ? [part.words] : []));
  return [...words, ...guardSentences]
    .flatMap((text) => text.split(/(?<=[.!?])\s+|(?<=[。！？])|\n/))
    .map((sentence) => flat(sentence))
    .filter((sentence) => sentence.length >= (/\p{Script=Han}/u.test(sentence) ? tellingLength / 2 : tellingLength));
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/** Runs the checks that need only the record and its source; returns the reason to drop the record, or undefined. */
export function checkRecord(
  output: Output,
  source: SampleContent,
  { checks, telling }: { checks: Checks; telling: readonly string[] },
): Reason | undefined {
  const texts = textsOf(output);
  const whole = texts.join('\n');
  if (checks.refusals !== false && texts.some((text) => refusals.some((refusal) => refusal.test(text))))
    return reasons.SYNTHESIS_REFUSAL.reason({});
  if (checks.leaks !== false) {
    const written = flat(whole);
    if (marks.test(whole) || telling.some((sentence) => written.includes(sentence)))
      return reasons.SYNTHESIS_LEAK.reason({});
  }
  return lengthProblem(texts, checks) ?? sourceProblem(output, whole, sourceTextOf(source), checks);
}

function lengthProblem(texts: readonly string[], { minCharacters, maxCharacters }: Checks): Reason | undefined {
  const characters = texts.reduce((sum, text) => sum + [...text.trim()].length, 0);
  const least = minCharacters === undefined ? 1 : (minCharacters ?? 0);
  if (characters < least) return reasons.SYNTHESIS_TOO_SHORT.reason({ characters, limit: least });
  if (maxCharacters !== undefined && maxCharacters !== null && characters > maxCharacters)
    return reasons.SYNTHESIS_TOO_LONG.reason({ characters, limit: maxCharacters });
  return undefined;
}

/** The content of a sample as text, for comparisons. */
export function sourceTextOf({ text, row }: SampleContent): string {
  return text ?? textsOf(row).join('\n');
}

function sourceProblem(output: Output, whole: string, source: string, checks: Checks): Reason | undefined {
  const { language, similarToSource, grounding } = checks;
  if (language !== undefined && language !== null) {
    const wanted = language === 'SOURCE' ? languageOf(source) : language;
    const found = languageOf(whole);
    if (wanted !== undefined && found !== undefined && found !== wanted)
      return reasons.SYNTHESIS_LANGUAGE.reason({ language: found, wanted });
  }
  if (similarToSource !== undefined && similarToSource !== null) {
    const [one, other] = [signatureOf(whole), signatureOf(source)];
    const similarity = one === undefined || other === undefined ? 0 : similarityOf(one, other);
    if (similarity > similarToSource)
      return reasons.SYNTHESIS_LIKE_SOURCE.reason({ similarity: shown(similarity), limit: shown(similarToSource) });
  }
  if (grounding !== undefined && grounding !== null) {
    const share = groundedShare(textsOf(output[grounding.field]).join('\n'), source);
    if (share < grounding.min) {
      const { field, min } = grounding;
      return reasons.SYNTHESIS_NOT_GROUNDED.reason({ share: shown(share), field, limit: shown(min) });
    }
  }
  return undefined;
}

function shown(share: number): string {
  return share.toFixed(2);
}

const languageFilter = operators.find(({ id }) => id === 'language-filter');
const languageLabel =
  languageFilter !== undefined && isSampleOperator(languageFilter) ? languageFilter.label : undefined;
/** The language of shorter texts would be a guess. */
const tellableLength = 40;

/** The language of a text as an ISO 639-1 code; undefined if it cannot be determined. */
function languageOf(text: string): string | undefined {
  if (text.length < (/\p{Script=Han}/u.test(text) ? tellableLength / 4 : tellableLength)) return undefined;
  const found = languageLabel?.of({ text });
  return found === undefined || found === 'und' ? undefined : found;
}

const runWords = 3;

/** Share of the words of a text that occur in the source within a run of three consecutive words (fewer if shorter). */
export function groundedShare(text: string, source: string): number {
  const words = wordsOf(text);
  if (words.length === 0) return 1;
  const size = Math.min(runWords, words.length);
  const runs = new Set<string>();
  const sourceWords = wordsOf(source);
  for (let at = 0; at + size <= sourceWords.length; at += 1) runs.add(sourceWords.slice(at, at + size).join(' '));
  const covered = new Set<number>();
  for (let at = 0; at + size <= words.length; at += 1) {
    if (!runs.has(words.slice(at, at + size).join(' '))) continue;
    for (let place = at; place < at + size; place += 1) covered.add(place);
  }
  return covered.size / words.length;
}

/** Words in lower case; in scripts without spaces, each character is a word. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+/gu) ?? []
  );
}
