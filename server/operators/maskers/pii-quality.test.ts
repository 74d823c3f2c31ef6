// Precision and recall for personal data among similar-looking text: a labelled set in the style of code, logs,
// changelogs, tables and letters, generated from a seed. Prints both per kind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOtherForm } from '../../../tests/support/character-forms.ts';
import { positives, nearMisses } from '../../../tests/support/masker-sets/personal-data.ts';
import { type Kind, surroundings } from '../../../tests/support/masker-sets/personal-places.ts';
import { seededRandom } from '../../../tests/support/seeded-random.ts';
import { piiMasker } from './pii-masker.ts';

const leastPrecision = 0.99;
const leastRecall = 0.97;
const perKind = 400;

const marks: Readonly<Record<Kind, string>> = { email: '[EMAIL]', phone: '[PHONE]', card: '[CARD]', ip: '[IP]' };
const kinds = ['email', 'phone', 'card', 'ip'] as const;
const off = { email: false, phone: false, card: false, ip: false };

for (const kind of kinds) {
  test(`${kind}: precision ≥ ${leastPrecision}, recall ≥ ${leastRecall}`, (t) => {
    const random = seededRandom(20_261_122);
    const mask = piiMasker.each({ ...off, [kind]: true });
    const masked = (text: string): string => (mask({ text }) as { text: string }).text;
    const mark = marks[kind];
    const missed: string[] = [];
    const wrong: string[] = [];
    for (let count = 0; count < perKind; count += 1) {
      const around = random.pick(surroundings[kind]);
      const found = positives[kind](random);
      if (masked(around.replace('%', found)) !== around.replace('%', mark)) missed.push(around.replace('%', found));
      const near = nearMisses[kind](random);
      const text = random.pick(['%', 'see % here', '- %', '%;', '(%)', '"%"', '| % | ok |']).replace('%', near);
      if (masked(text).includes(mark)) wrong.push(text);
    }
    const right = perKind - missed.length;
    const precision = right / (right + wrong.length);
    const recall = right / perKind;
    t.diagnostic(`${kind}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)} (${2 * perKind} texts)`);
    assert.ok(precision >= leastPrecision, `masked though it is none:\n${wrong.slice(0, 20).join('\n')}`);
    assert.ok(recall >= leastRecall, `missed or cut:\n${missed.slice(0, 20).join('\n')}`);
  });
}

for (const kind of kinds)
  test(`${kind}: other forms of the same characters`, () => {
    const random = seededRandom(20_261_124);
    const mask = piiMasker.each({ ...off, [kind]: true });
    const around = kind === 'ip' ? 'server %;' : '见 %。';
    const masked = (text: string): string => (mask({ text }) as { text: string }).text;
    for (let count = 0; count < perKind; count += 1) {
      const found = positives[kind](random);
      const text = around.replace('%', inOtherForm(found, random));
      // Misses in the usual form are counted above.
      if (masked(around.replace('%', found)) === around.replace('%', marks[kind]))
        assert.equal(masked(text), around.replace('%', marks[kind]), text);
    }
  });

test('what is found is found whole, and what stands around it stays', () => {
  const mask = piiMasker.each({ email: true, phone: true, card: true, ip: true });
  for (const [text, expected] of [
    ["o'brien@example.org", '[EMAIL]'],
    ['::ffff:192.0.2.1', '[IP]'],
    ['1-800-555-0199', '[PHONE]'],
    ['+2147483647', '+2147483647'],
    ['B::C and DB::DB', 'B::C and DB::DB'],
    ['+44 20 7946 0958 2024', '[PHONE] 2024'],
    ['4111 1111 1111 1111 and 4111-1111 1111 1111', '[CARD] and 4111-1111 1111 1111'],
    ['10.0.0.0/8, 10.0.0.1:80, 10.0.0.1-10.0.0.9', '[IP]/8, [IP]:80, [IP]-[IP]'],
    ['fe80::1%eth0', '[IP]'],
  ] as const)
    assert.equal((mask({ text }) as { text: string }).text, expected);
});
