// `node scripts/operator-texts.mjs FILE`: writes the Chinese texts of the built-in operators for the web application. Plain JavaScript,
// because the build of the image copies nothing else of this folder.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The source of `web/messages/zh/operator-texts.ts`: the Chinese texts that the operators declare.
 * @param {readonly import('../server/operators/operator.ts').Operator[]} operators
 * @returns {string}
 */
export function renderOperatorTexts(operators) {
  const texts = {};
  const sentences = {};
  for (const { id, chinese } of [...operators].sort((one, other) => (one.id < other.id ? -1 : 1))) {
    if (chinese === undefined) continue;
    const { reasons, ...text } = chinese;
    texts[id] = text;
    Object.assign(sentences, reasons);
  }
  return [
    '// Generated from the operators; not committed.',
    "import type { OperatorText } from '../operator-texts.ts';",
    '',
    '/** The Chinese texts of the built-in operators, by their ids. */',
    `export const operatorTexts: Readonly<Record<string, OperatorText>> = ${JSON.stringify(texts, undefined, 2)};`,
    '',
    '/** Why operators drop samples, by codes. */',
    `export const operatorSentences: Readonly<Record<string, string>> = ${JSON.stringify(sentences, undefined, 2)};`,
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { operators } = await import('../server/operators/index.ts');
  writeFileSync(process.argv[2], renderOperatorTexts(operators));
}
