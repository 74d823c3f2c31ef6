import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contributionsOf, type Area } from './area.ts';

const none = { contentHolders: [], lineageSources: [], runNames: {} };

test('what areas contribute is collected from all of them', () => {
  const holders = [{ eraseFiles: async () => [] }, { eraseFiles: async () => [] }] as const;
  const names = async () => new Map<string, never>();
  assert.deepEqual(
    contributionsOf([
      { ...none, contentHolders: [holders[0]], runNames: { ingest: names } },
      none,
      { ...none, contentHolders: [holders[1]], runNames: { rebuild: names } },
    ]),
    { contentHolders: holders, lineageSources: [], runNames: { ingest: names, rebuild: names } },
  );
});

test('an area that forgets what others need of it does not compile', () => {
  const whole: Area = { prefix: '/soil', envelope: true, routes() {}, start() {}, stop() {}, ...none };
  const { runNames: _names, ...unnamed } = whole;
  // @ts-expect-error It does not say that its runs have no names of their own.
  const withoutNames: Area = unnamed;
  const { stop: _stop, ...endless } = whole;
  // @ts-expect-error It does not say that nothing is to be stopped.
  const withoutStop: Area = endless;
  assert.notDeepEqual(Object.keys(withoutNames), Object.keys(withoutStop));
});
