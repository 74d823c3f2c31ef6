// Precision and recall of the maskers of numbers beside other numbers, on a draw of the set that `npm run test:masking`
// measures in full.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sized } from '../support/long-tests.ts';
import { countsOf, foundBy, leastPrecision, leastRecall, maskerOf, sumOf } from './measured.ts';
import { neighbourhoods, numberKinds } from './neighbourhoods.ts';

for (const kind of numberKinds)
  test(`${kind} beside other numbers: recall ≥ ${leastRecall}, precision ≥ ${leastPrecision}`, (t) => {
    const texts = neighbourhoods(20_261_201, sized(300, 3000)).filter((text) => text.kind === kind);
    const failed: string[] = [];
    const sum = sumOf(
      texts.map((text) => {
        const counts = countsOf(text, foundBy(maskerOf(text), text.text));
        if (counts.missed + counts.wrong > 0) failed.push(text.text);
        return counts;
      }),
    );
    t.diagnostic(
      `${kind}: precision ${sum.precision.toFixed(4)}, recall ${sum.recall.toFixed(4)} (${texts.length} texts)`,
    );
    assert.ok(sum.recall >= leastRecall && sum.precision >= leastPrecision, failed.slice(0, 20).join('\n'));
  });
