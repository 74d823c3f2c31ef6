// Precision and recall of each masker on a labelled set, generated from a seed; prints both. E-mail addresses,
// telephone numbers, cards and IP addresses are in pii-quality.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOtherForm } from '../../../tests/support/character-forms.ts';
import { addressSets } from '../../../tests/support/masker-sets/address-sets.ts';
import { identitySets, zoneOf } from '../../../tests/support/masker-sets/identity-sets.ts';
import type { LabelledSet } from '../../../tests/support/masker-sets/labelled-set.ts';
import { secretSets } from '../../../tests/support/masker-sets/secret-sets.ts';
import { seededRandom } from '../../../tests/support/seeded-random.ts';
import { maskPassportNumbers } from './passport-masker.ts';

const leastPrecision = 0.98;
const leastRecall = 0.97;
const perKind = 400;
const mark = '[FOUND]';

const sets: Readonly<Record<string, LabelledSet>> = { ...addressSets, ...identitySets, ...secretSets };

for (const [name, { mask, around, positive, near }] of Object.entries(sets)) {
  test(`${name}: precision ≥ ${leastPrecision}, recall ≥ ${leastRecall}`, (t) => {
    const random = seededRandom(20_261_123);
    const missed: string[] = [];
    const wrong: string[] = [];
    for (let count = 0; count < perKind; count += 1) {
      const place = random.pick(around);
      const found = positive(random);
      const text = place.replace('%', () => found);
      if (mask(text, () => mark) !== place.replace('%', mark)) missed.push(`${text} → ${mask(text, () => mark)}`);
      const other = near(random);
      const nearText = random
        .pick(['%', 'see % here', '- %', '%;', '(%)', '"%"', '| % | ok |'])
        .replace('%', () => other);
      if (mask(nearText, () => mark) !== nearText) wrong.push(nearText);
    }
    const right = perKind - missed.length;
    const precision = right / (right + wrong.length);
    const recall = right / perKind;
    t.diagnostic(`${name}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)} (${2 * perKind} texts)`);
    assert.ok(precision >= leastPrecision, `masked though it is none:\n${wrong.slice(0, 20).join('\n')}`);
    assert.ok(recall >= leastRecall, `missed or cut:\n${missed.slice(0, 20).join('\n')}`);
  });
}

for (const name of ['mac', 'chinese id', 'iban', 'ssn', 'passport'])
  test(`${name}: other forms of the same characters`, () => {
    const { mask, positive } = sets[name] as LabelledSet;
    const random = seededRandom(20_261_124);
    const around = name === 'passport' ? 'passport: %' : '见 %。';
    for (let count = 0; count < perKind; count += 1) {
      const text = around.replace('%', inOtherForm(positive(random), random));
      assert.equal(
        mask(text, () => mark),
        around.replace('%', mark),
        text,
      );
    }
  });

test('the machine-readable zone of a passport is found anywhere', () => {
  const random = seededRandom(7);
  for (let count = 0; count < 50; count += 1) {
    const zone = zoneOf(random);
    assert.equal(
      maskPassportNumbers(`scan:\n${zone}\nend`, () => mark),
      `scan:\n${mark}\nend`,
    );
  }
});
