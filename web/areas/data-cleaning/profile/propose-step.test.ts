import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProfileScore } from '../../../api/schema.ts';
import { languageProposalOf, proposalOf, sharesBeyond } from './propose-step.ts';

const score: ProfileScore = {
  operatorId: 'text-length-filter',
  score: 'length',
  description: 'Length',
  scale: 'COUNT',
  count: 100,
  histogram: [
    { from: 0, to: 10, count: 5 },
    { from: 10, to: 20, count: 80 },
    { from: 20, to: 30, count: 15 },
  ],
  quantiles: { p0: 3, p5: 10, p25: 12, p50: 15, p75: 18, p95: 25, p100: 29 },
};
const filter = {
  id: 'text-length-filter',
  thresholds: [
    { param: 'min', direction: 'min' as const },
    { param: 'max', direction: 'max' as const },
  ],
};
const [low, , high] = score.histogram;

test('a bar proposes the threshold that keeps it and drops what is beyond it', () => {
  assert.ok(low !== undefined && high !== undefined);
  assert.deepEqual(proposalOf(score, low, filter), { operatorId: filter.id, params: { min: 0 } });
  assert.deepEqual(proposalOf(score, high, filter), { operatorId: filter.id, params: { max: 29 } });
  const onlyMax = { ...filter, thresholds: filter.thresholds.slice(1) };
  assert.deepEqual(proposalOf(score, low, onlyMax).params, { max: 9 });
  assert.deepEqual(proposalOf({ ...score, scale: 'SHARE' }, { from: 0.2, to: 0.25, count: 1 }, onlyMax).params, {
    max: 0.25,
  });
  assert.deepEqual(proposalOf(score, low, { id: 'pii-masker', thresholds: [] }), {
    operatorId: 'pii-masker',
    params: {},
  });
});

test('a bar tells how many are beyond it', () => {
  assert.deepEqual(sharesBeyond(score, 1), { below: 0.05, above: 0.15 });
});

test('a language proposes to keep it and the commoner ones that could be told', () => {
  const languages = [
    { value: 'en', share: 0.5 },
    { value: 'und', share: 0.25 },
    { value: 'zh', share: 0.15 },
    { value: 'de', share: 0.1 },
  ];
  assert.deepEqual(languageProposalOf(languages, 2, { id: 'language-filter' }), {
    proposal: { operatorId: 'language-filter', params: { languages: ['en', 'zh'] } },
    dropped: 0.1,
  });
});
