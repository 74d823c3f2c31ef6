import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fails } from '../../../tests/support/app-errors.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { systemClock } from '../../kernel/clock.ts';
import { operators } from '../../operators/index.ts';
import type { BuiltIn } from '../../tasks/index.ts';
import { builtInTemplates } from './built-in-templates.ts';
import type { NewTemplate } from './schemas/templates.ts';
import { parseSteps } from './steps.ts';
import { createCleaningTemplates } from './templates.ts';

const page = { page: 0, size: 100 };
const steps = [{ operatorId: 'text-length-filter', params: { min: 5 } }];

test('built-in templates can be used, and tell what they are for', () => {
  for (const template of builtInTemplates) {
    assert.match(template.id, /^[a-z][a-z0-9]*(-[a-z]+)*$/);
    assert.ok(template.description.endsWith('.'), template.id);
    assert.equal(parseSteps(operators, template.steps).length, template.steps.length);
  }
  for (const key of ['id', 'name'] as const) {
    assert.equal(new Set(builtInTemplates.map((template) => template[key])).size, builtInTemplates.length, key);
  }
});

const catalogue = { operatorsFor: async () => operators };

forAnyDatabase('built-in templates follow the release', async (_t, openDb) => {
  const db = await openDb();
  const release = (builtIn: readonly BuiltIn<NewTemplate>[]) =>
    createCleaningTemplates({ db, clock: systemClock, catalogue, builtIn });
  const first: BuiltIn<NewTemplate> = { id: 'one', name: 'One', description: 'First.', steps };
  const old = release([first, { ...first, id: 'gone', name: 'Gone' }]);
  await old.start();
  await old.start();
  const before = await old.get('one');
  assert.deepEqual([before.builtIn, before.createdBy, before.updatedAt], [true, 'Tilth', before.createdAt]);
  // A user's template keeps its name even if a later release uses the same name.
  const own = await old.create({ name: 'Two', steps }, 'erin');

  const next = release([
    { ...first, description: 'Better.' },
    { ...first, id: 'two', name: 'two' },
  ]);
  await next.start();
  const after = await next.get('one');
  assert.deepEqual([after.description, after.createdAt], ['Better.', before.createdAt]);
  await assert.rejects(next.get('gone'), fails('TEMPLATE_NOT_FOUND'));
  assert.deepEqual(
    (await next.list({ ...page, builtIn: true })).content.map(({ id }) => id),
    ['one', 'two'],
  );
  assert.equal((await next.get(own.id)).name, 'Two');
});

forAnyDatabase('two people who take the same name at once: one has it', async (_t, openDb) => {
  const templates = createCleaningTemplates({ db: await openDb(), clock: systemClock, catalogue, builtIn: [] });
  const attempts = await Promise.allSettled(
    ['Name', 'name', 'NAME', ' name '].map((name) => templates.create({ name, steps }, 'erin')),
  );
  assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const attempt of attempts) {
    if (attempt.status === 'rejected')
      assert.ok(fails('TEMPLATE_ALREADY_EXISTS')(attempt.reason), String(attempt.reason));
  }
});

forAnyDatabase(
  'a template whose operator is another one by now is still shown, renamed and deleted',
  async (_t, openDb) => {
    const db = await openDb();
    const templates = createCleaningTemplates({ db, clock: systemClock, catalogue, builtIn: [] });
    const { id, ...made } = await templates.create({ name: 'Name', steps }, 'erin');
    assert.deepEqual(made.steps, [
      { operatorId: 'text-length-filter', params: { min: 5, max: 1_000_000_000, unit: 'CHARACTERS' } },
    ]);
    const later = createCleaningTemplates({
      db,
      clock: systemClock,
      catalogue: { operatorsFor: async () => [] },
      builtIn: [],
    });
    const renamed = await later.update(id, { name: 'Other' }, 'vera');
    assert.deepEqual([renamed.name, renamed.steps, renamed.updatedBy], ['Other', made.steps, 'vera']);
    await assert.rejects(later.update(id, { steps }, 'vera'), fails('INVALID_PARAMETER'));
    await later.remove(id);
    await assert.rejects(later.get(id), fails('TEMPLATE_NOT_FOUND'));
  },
);
