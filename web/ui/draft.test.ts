import assert from 'node:assert/strict';
import { createElement, type ReactNode } from 'react';
import { test } from 'node:test';
import { renderToString } from 'react-dom/server';
import { problemsOf, useDraft, type Draft } from './draft.ts';

type Values = { name: string; rows: number; most: number | undefined; isPublic: boolean; kind: 'A' | 'B' };

const initial: Values = { name: 'wheat', rows: 3, most: undefined, isPublic: false, kind: 'A' };

function Form({ onDraw, onEdit }: { onDraw: (draft: Draft<Values>) => void; onEdit: () => void }): ReactNode {
  onDraw(useDraft(initial, { checks: { name: ({ name }) => (name === '' ? 'is missing' : undefined) }, onEdit }));
  return null;
}

/** What a form shows after a series of edits; it is rendered once per edit. */
function drawn(edits: readonly ((draft: Draft<Values>) => void)[], onEdit = (): void => undefined): Draft<Values> {
  const shown: Draft<Values>[] = [];
  const onDraw = (draft: Draft<Values>): void => {
    shown.push(draft);
    edits[shown.length - 1]?.(draft);
  };
  renderToString(createElement(Form, { onDraw, onEdit }));
  return shown.at(-1) ?? assert.fail('nothing was drawn');
}

const typed = (value: string) => ({ currentTarget: { value } }) as never;
const submitted = { preventDefault: () => undefined } as never;

test('a field that is edited has the new value, tells that, and makes the draft changed until it is kept', () => {
  let edits = 0;
  const draft = drawn([(form) => form.text('name').onChange(typed('rye'))], () => void (edits += 1));
  assert.deepEqual([draft.values.name, draft.isChanged, edits], ['rye', true, 1]);
  const kept = drawn([(form) => form.set({ name: 'rye' }), (form) => form.keep(form.values)]);
  assert.deepEqual([kept.values.name, kept.isChanged], ['rye', false]);
  const reset = drawn([(form) => form.set({ name: 'rye' }), (form) => form.reset()]);
  assert.deepEqual([reset.values, reset.isChanged], [initial, false]);
});

test('an emptied number stays what it was where the form needs one, and is missing where it may be', () => {
  const entered = (form: Draft<Values>): void => {
    form.number('rows').onChange('');
    form.limit('most').onChange(5);
  };
  const draft = drawn([entered]);
  assert.deepEqual([draft.values.rows, draft.values.most, draft.limit('most').value], [3, 5, 5]);
  const emptied = drawn([(form) => form.limit('most').onChange(5), (form) => form.limit('most').onChange('')]);
  assert.deepEqual([emptied.values.most, emptied.limit('most').value], [undefined, '']);
});

test('a select that is cleared keeps its choice', () => {
  assert.equal(drawn([(form) => form.choice('kind').onChange(null)]).values.kind, 'A');
  assert.equal(drawn([(form) => form.choice('kind').onChange('B')]).values.kind, 'B');
});

test('a draft with a problem is not saved and shows it at the field until that is edited', () => {
  const saved: string[] = [];
  const submit = (form: Draft<Values>): void => form.submit(({ name }) => saved.push(name))(submitted);
  const refused = drawn([(form) => form.set({ name: '' }), submit]);
  assert.deepEqual([refused.text('name').error, saved], ['is missing', []]);
  const mended = drawn([(form) => form.set({ name: '' }), submit, (form) => form.set({ name: 'oats' }), submit]);
  assert.deepEqual([mended.text('name').error, saved], [undefined, ['oats']]);
});

test('only the fields with a problem have one', () => {
  assert.deepEqual(problemsOf(initial, { name: () => 'taken', rows: () => undefined }), { name: 'taken' });
});
