import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGroupCommit, type Waiting } from './group-commit.ts';

type Part = Waiting<number, number>;

/** A commit that each test completes by hand. */
function heldCommits() {
  const groups: { parts: readonly Part[]; end(error?: Error): void }[] = [];
  const commitGroup = (parts: readonly Part[]): Promise<void> =>
    new Promise((resolve, reject) => {
      groups.push({ parts, end: (error) => (error === undefined ? resolve() : reject(error)) });
    });
  const nextTurn = async (): Promise<void> => {
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { groups, commitGroup, nextTurn, sizes: () => groups.map(({ parts }) => parts.length) };
}

test('what comes while a group is committed is the next group, in its order and within its size', async () => {
  const { groups, commitGroup, nextTurn, sizes } = heldCommits();
  const commits = createGroupCommit(commitGroup, { maxItems: 3 });
  const settle = (group: number): void => {
    for (const { item, resolve } of groups[group]?.parts ?? []) resolve(item * 10);
    groups[group]?.end();
  };
  const first = [1, 2].map((item) => commits.commit(item));
  await nextTurn();
  const later = [3, 4, 5, 6].map((item) => commits.commit(item));
  assert.deepEqual(sizes(), [2], 'one at a time');
  settle(0);
  assert.deepEqual(await Promise.all(first), [10, 20]);
  await nextTurn();
  assert.deepEqual(sizes(), [2, 3]);
  settle(1);
  await nextTurn();
  settle(2);
  assert.deepEqual(await Promise.all(later), [30, 40, 50, 60]);
  await commits.idle();
  const last = commits.commit(7);
  await nextTurn();
  settle(3);
  assert.equal(await last, 70, 'it starts anew after it was idle');
});

test('each part has its own outcome, and what a commit throws or forgets settles the rest', async () => {
  const { groups, commitGroup, nextTurn } = heldCommits();
  const commits = createGroupCommit(commitGroup);
  const outcomes = Promise.allSettled([1, 2, 3].map((item) => commits.commit(item)));
  await nextTurn();
  const [one, two] = groups[0]?.parts ?? [];
  one?.resolve(1);
  two?.reject(new Error('in conflict'));
  groups[0]?.end(new Error('the disk is full'));
  assert.deepEqual(
    (await outcomes).map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as Error).message)),
    [1, 'in conflict', 'the disk is full'],
  );
  const forgotten = commits.commit(4);
  await nextTurn();
  groups[1]?.end();
  await assert.rejects(forgotten, /gave no outcome/);
  await commits.idle();
});
