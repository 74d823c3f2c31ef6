import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { startService } from './service.ts';
import { CleaningTask, CleaningTemplate } from './cleaning-shapes.ts';
import { Enveloped, PageOf } from './shapes.ts';

const templates = '/data-cleaning/templates';
const tasks = '/data-cleaning/tasks';
const unknownId = '0198c0de-0000-7000-8000-000000000000';
const steps = [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'text-length-filter', params: { min: 3 } }];

test('templates of cleaning tasks', async (t) => {
  const { admin, editor, viewer } = await startService(t);
  const created = await editor.post(templates, { name: ' Mine ', description: 'What I do', steps });
  const template = created.is(201, Enveloped(CleaningTemplate)).data;
  const list = async (query = ''): Promise<string[]> =>
    (await viewer.get(`${templates}${query}`))
      .is(200, Enveloped(PageOf(CleaningTemplate)))
      .data.content.map(({ name }) => name);

  await t.test('a template is named, its steps complete', async () => {
    assert.deepEqual([template.name, template.builtIn, template.createdBy], ['Mine', false, 'erin']);
    assert.equal(template.steps[1]?.params['max'], 1_000_000_000, 'defaults are filled in');
    assert.deepEqual(
      (await viewer.get(`${templates}/${template.id}`)).is(200, Enveloped(CleaningTemplate)).data,
      template,
    );
  });

  await t.test('some are built in, and stay as they are', async () => {
    const builtIn = (await viewer.get(`${templates}?builtIn=true`)).is(200, Enveloped(PageOf(CleaningTemplate))).data;
    assert.ok(builtIn.content.length >= 2);
    for (const { id, builtIn: isBuiltIn, steps: given } of builtIn.content) {
      assert.ok(isBuiltIn && given.length > 0);
      (await admin.put(`${templates}/${id}`, { name: 'Other' })).fails(409);
      (await admin.delete(`${templates}/${id}`)).fails(409);
    }
  });

  await t.test('lists: by name, keyword, sort, pages', async () => {
    await editor.post(templates, { name: 'another', steps });
    const names = await list();
    assert.deepEqual(
      names,
      names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    );
    assert.deepEqual(await list('?keyword=WHAT%20i%20do'), ['Mine']);
    assert.deepEqual(await list('?builtIn=false&sort=createdAt,desc'), ['another', 'Mine']);
    assert.deepEqual(await list('?builtIn=false&size=1&page=1'), ['Mine']);
    (await viewer.get(`${templates}?sort=steps,asc`)).fails(400, undefined, 'sort');
    (await viewer.get(`${templates}?builtIn=maybe`)).fails(400, undefined, 'builtIn');
  });

  await t.test('changes; each field is optional', async () => {
    const change = async (body: unknown) =>
      (await editor.put(`${templates}/${template.id}`, body)).is(200, Enveloped(CleaningTemplate)).data;
    assert.equal((await change({ description: '' })).description, '');
    assert.deepEqual((await change({})).steps, template.steps);
    const changed = await change({ name: 'Renamed', steps: steps.slice(0, 1) });
    assert.deepEqual([changed.name, changed.steps.length, changed.id], ['Renamed', 1, template.id]);
  });

  await t.test('what is refused', async () => {
    const wrong: [body: Record<string, unknown>, ...mentions: string[]][] = [
      [{ name: '', steps }, 'name'],
      [{ steps }, 'name'],
      [{ name: 'x'.repeat(101), steps }, 'name'],
      [{ name: 'x', description: 'x'.repeat(501), steps }, 'description'],
      [{ name: 'x' }, 'steps'],
      [{ name: 'x', steps: [] }, 'steps'],
      [{ name: 'x', steps: [{ operatorId: 'no-such-operator' }] }, 'steps[0].operatorId', 'no-such-operator'],
      [
        { name: 'x', steps: [steps[0], { operatorId: 'text-length-filter', params: { min: -1 } }] },
        'steps[1].params.min',
      ],
      [{ name: 'x', steps: [{ operatorId: 'text-length-filter', version: '9.9.9' }] }, 'steps[0].version'],
    ];
    for (const [body, ...mentions] of wrong) (await editor.post(templates, body)).fails(400, undefined, ...mentions);
    (await editor.post(templates, { name: 'ANOTHER', steps })).fails(409, undefined, 'ANOTHER');
    (await editor.put(`${templates}/${template.id}`, { name: 'another' })).fails(409);
    (await editor.get(`${templates}/${unknownId}`)).fails(404);
    (await editor.put(`${templates}/${unknownId}`, {})).fails(404);
    (await editor.delete(`${templates}/${unknownId}`)).fails(404);
    (await viewer.post(templates, { name: 'x', steps })).fails(403);
    (await viewer.delete(`${templates}/${template.id}`)).fails(403);
  });

  await t.test('a task is made of a template or of steps', async () => {
    const source = await admin.newDataset();
    await admin.putFiles(source.id, { 'a.txt': 'a   b' });
    const good = { name: 'task', sourceDatasetId: source.id };
    const made = (await editor.post(tasks, { ...good, templateId: template.id })).is(201, Enveloped(CleaningTask)).data;
    const Steps = Type.Object({
      steps: Type.Array(Type.Object({ operatorId: Type.String(), version: Type.String() })),
    });
    const stepsOf = async (id: string) =>
      (await viewer.get(`${tasks}/${id}`)).is(200, Enveloped(Steps)).data.steps.map(({ operatorId }) => operatorId);
    assert.deepEqual(await stepsOf(made.id), ['whitespace-normalizer']);
    (await editor.put(`${tasks}/${made.id}`, { templateId: 'tidy-text' })).is(200, Enveloped(CleaningTask));
    assert.deepEqual(await stepsOf(made.id), [
      'control-character-remover',
      'unicode-normalizer',
      'whitespace-normalizer',
    ]);

    (await editor.post(tasks, { ...good, templateId: template.id, steps })).fails(
      400,
      undefined,
      'templateId',
      'steps',
    );
    (await editor.post(tasks, good)).fails(400, undefined, 'steps');
    (await editor.post(tasks, { ...good, templateId: unknownId })).fails(404, undefined, unknownId);
    (await editor.post(tasks, { ...good, templateId: 'a.b' })).fails(400, undefined, 'templateId');

    (await editor.delete(`${templates}/${template.id}`)).isEmpty(204);
    (await editor.get(`${templates}/${template.id}`)).fails(404);
    assert.equal((await stepsOf(made.id)).length, 3, 'tasks keep their steps');
  });
});
