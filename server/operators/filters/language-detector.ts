import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as detector from 'eld/extrasmall';

/** What a text is labelled with if its language can't be told (BCP 47). */
export const undetermined = 'und';

/** The languages that are told apart, by their codes of ISO 639-1. */
export const languages: readonly string[] = (
  'am ar az be bg bn ca cs da de el en es et eu fa fi fr gu he hi hr hu hy is it ja ka kn ko ku lo lt lv ml mr ms nl no or ' +
  'pa pl pt ro ru sk sl sq sr sv ta te th tl tr uk ur vi yo zh'
).split(' ');

type Detector = (typeof detector)['eld'];

let loaded: Detector | undefined;

/**
 * The language of a text by its first 1,000 characters, without addresses; `und` without enough words, or if two languages are
 * equally likely. The n-grams take 80 MiB of each thread that uses them, so they are loaded at the first text.
 */
export function detectLanguage(text: string): string {
  const found = detect(text);
  return found.language !== '' && found.isReliable() ? found.language : undetermined;
}

/** The language of a text and how much of its n-grams speaks for it, 0 to 1. */
export function detectWithConfidence(text: string): { language: string; confidence: number } {
  const found = detect(text);
  if (found.language === '' || !found.isReliable()) return { language: undetermined, confidence: 0 };
  return { language: found.language, confidence: found.getScores()[found.language] ?? 0 };
}

function detect(text: string): ReturnType<Detector['detect']> {
  loaded ??= load();
  // As much as the detector reads: beyond it, texts are not searched for addresses.
  return loaded.detect(text.slice(0, 1000));
}

/** By its path: the package names its files to `import` alone, which can't wait for the first text. */
function load(): Detector {
  const path = fileURLToPath(import.meta.resolve('eld/extrasmall'));
  const { eld } = createRequire(import.meta.url)(path) as typeof detector;
  eld.enableTextCleanup(true);
  return eld;
}
