import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultCase, FaultFamily } from './family.ts';
import { repeatCommand, runFamily } from './family-run.ts';

function familyOf(cases: readonly FaultCase[], rest: Partial<FaultFamily> = {}): FaultFamily {
  return {
    name: 'made-up',
    databases: ['sqlite'],
    missing: () => undefined,
    prepare: () => Promise.resolve(cases),
    ...rest,
  };
}

function caseOf(id: string, run: FaultCase['run']): FaultCase {
  return { id, run };
}

const fine = caseOf('fine', () => Promise.resolve({ violations: [] }));

test('violations, exceptions and cases that do not end are counted and can be repeated', async () => {
  const family = familyOf(
    [
      fine,
      caseOf('broken', () => Promise.resolve({ violations: ['a file is lost'] })),
      caseOf('thrown', () => Promise.reject(new Error('no answer'))),
      caseOf('late', () => new Promise(() => {})),
      caseOf('missed', () => Promise.resolve({ violations: [], missed: true })),
    ],
    { caseTimeoutMs: 20 },
  );
  const { cases, missed, violations } = await runFamily(family, { seed: 7, size: 'full', database: 'sqlite', jobs: 2 });
  assert.deepEqual([cases, missed], [4, 1]);
  assert.deepEqual(new Set(violations.map(({ caseId }) => caseId)), new Set(['broken', 'thrown', 'late']));
  const broken = violations.find(({ caseId }) => caseId === 'broken') ?? assert.fail();
  assert.deepEqual(broken.sentences, ['a file is lost']);
  assert.equal(
    repeatCommand(broken),
    'npm run test:faults -- --only made-up --database sqlite --seed 7 --size full --case broken',
  );
});

test('a draw follows from the seed', async () => {
  const ran: string[] = [];
  const family = familyOf(
    Array.from({ length: 50 }, (_, number) =>
      caseOf(`case-${number}`, async () => {
        ran.push(`case-${number}`);
        return { violations: [] };
      }),
    ),
  );
  const draw = async (seed: number): Promise<string[]> => {
    ran.length = 0;
    await runFamily(family, { seed, size: 'full', database: 'sqlite', most: 5, jobs: 1 });
    return [...ran];
  };
  const first = await draw(1);
  assert.equal(first.length, 5);
  assert.deepEqual(await draw(1), first);
  assert.notDeepEqual(await draw(2), first);
});

test('what a case has opened ends with it, also when it is late; what all share ends last', async () => {
  const ends: string[] = [];
  const family = familyOf([], {
    caseTimeoutMs: 10,
    prepare: (t) => {
      t.after(async () => void ends.push('shared'));
      const late = caseOf('late', (own) => {
        own.after(async () => void ends.push('own'));
        return new Promise(() => {});
      });
      return Promise.resolve([late]);
    },
  });
  await runFamily(family, { seed: 1, size: 'full', database: 'sqlite' });
  assert.deepEqual(ends, ['own', 'shared']);
});

test('a family that can not run here says why and runs nothing', async () => {
  const family = familyOf([fine], { missing: () => 'needs a thing' });
  const { skipped, cases } = await runFamily(family, { seed: 1, size: 'full', database: 'sqlite' });
  assert.deepEqual([skipped, cases], ['needs a thing', 0]);
});
