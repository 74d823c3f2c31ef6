import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as detector from 'eld/extrasmall';

/** The label of texts whose language can't be determined (BCP 47). */
export const undetermined = 'und';

/** The supported languages, by ISO 639-1 code. */
export const languages: readonly string[] = (
  'am ar az be bg bn ca cs da de el en es et eu fa fi fr gu he hi hr hu hy is it ja ka kn ko ku lo lt lv ml mr ms nl no or ' +
  'pa pl pt ro ru sk sl sq sr sv ta te th tl tr uk ur vi yo zh'
).split(' ');

type Detector = (typeof detector)['eld'];

let loaded: Detector | undefined;

/**
 * The language of a text by its first 1,000 characters, without web addresses; `und` if it has too few words, or if two
 * languages are equally likely. The n-grams take 80 MiB per thread that uses them, so they are loaded on first use.
 */
export function detectLanguage(text: string): string {
  const found = detect(text);
  return found.language !== '' && found.isReliable() ? found.language : undetermined;
}

/** The language of a text, and the share of its n-grams that support it, 0 to 1. */
export function detectWithConfidence(text: string): { language: string; confidence: number } {
  const found = detect(text);
  if (found.language === '' || !found.isReliable()) return { language: undetermined, confidence: 0 };
  return { language: found.language, confidence: found.getScores()[found.language] ?? 0 };
}

function detect(text: string): ReturnType<Detector['detect']> {
  loaded ??= load();
  // The detector reads no more; the rest is not searched for addresses.
  return loaded.detect(text.slice(0, 1000));
}

/** Loaded by path: the package exports its files only for `import`, which is asynchronous. */
function load(): Detector {
  const path = fileURLToPath(import.meta.resolve('eld/extrasmall'));
  const { eld } = createRequire(import.meta.url)(path) as typeof detector;
  eld.enableTextCleanup(true);
  return eld;
}
