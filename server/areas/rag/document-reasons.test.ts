import assert from 'node:assert/strict';
import { forEachDatabase } from '../../../tests/support/databases.ts';
import { ragDocument } from '../../../tests/support/rag-documents.ts';
import { newId } from '../../kernel/ids.ts';
import { foreign, reasonColumns } from '../../kernel/sentences/index.ts';
import { toDocument } from './document-views.ts';
import { findDocument, insertDocuments, updateDocument } from './queries/documents.ts';
import { useRebuilt } from './queries/rebuilds.ts';
import { isWaitingForSpace, ragCauses, waitsForSpace } from './sentences.ts';

forEachDatabase('a document keeps code and values of its cause beside the text', async (t, openDb) => {
  const db = await openDb();
  t.after(() => db.close());
  const knowledgeBaseId = newId();
  const add = async (values: Parameters<typeof ragDocument>[0]): Promise<string> => {
    const row = ragDocument({ knowledge_base_id: knowledgeBaseId, status: 'FAILED', ...values });
    await db.write((tx) => insertDocuments(tx, [row]));
    return row.id;
  };
  const causeOf = async (id: string): Promise<unknown[]> => {
    const row = await findDocument(db.read, id);
    assert.ok(row !== undefined);
    const { cause, causeCode, causeParams } = toDocument(row, false, undefined);
    return [cause, causeCode, causeParams];
  };
  const { text, sentence } = ragCauses.DOCUMENT_TOO_LARGE.reason({ size: 9, limit: 5 });

  const earlier = await add({ cause: text });
  assert.deepEqual(await causeOf(earlier), [text, 'DOCUMENT_TOO_LARGE', { size: 9, limit: 5 }]);

  const reworded = await add(reasonColumns('cause', { text: 'far too big', sentence }));
  assert.deepEqual(await causeOf(reworded), ['far too big', 'DOCUMENT_TOO_LARGE', { size: 9, limit: 5 }]);

  const another = await add(reasonColumns('cause', foreign(text)));
  assert.deepEqual(await causeOf(another), [text, null, null]);

  // A process of the earlier release changes the text and knows nothing of the column beside it.
  await db.write((tx) => updateDocument(tx, reworded, { cause: ragCauses.DOCUMENT_EMPTY({}) }));
  assert.deepEqual(await causeOf(reworded), ['it has no text', 'DOCUMENT_EMPTY', {}]);
  await db.write((tx) => updateDocument(tx, reworded, { cause: null }));
  assert.deepEqual(await causeOf(reworded), [null, null, null]);

  const rebuilt = await add({
    status: 'COMPLETED',
    unit: 1,
    ...reasonColumns('next_cause', { text: 'too big', sentence }),
  });
  await db.write((tx) => useRebuilt(tx, knowledgeBaseId));
  assert.deepEqual(await causeOf(rebuilt), ['too big', 'DOCUMENT_TOO_LARGE', { size: 9, limit: 5 }]);
  assert.equal((await findDocument(db.read, rebuilt))?.next_cause_sentence, null);
});

forEachDatabase('what waits for space is told by the code, whatever its words', async (t, openDb) => {
  const db = await openDb();
  t.after(() => db.close());
  const isWaiting = async (values: Parameters<typeof ragDocument>[0]): Promise<boolean> => {
    const row = ragDocument(values);
    await db.write((tx) => insertDocuments(tx, [row]));
    const stored = await findDocument(db.read, row.id);
    return stored !== undefined && isWaitingForSpace(stored);
  };
  assert.equal(await isWaiting(reasonColumns('cause', { ...waitsForSpace, text: 'no room' })), true);
  assert.equal(await isWaiting({ cause: waitsForSpace.text }), true);
  assert.equal(await isWaiting(reasonColumns('cause', foreign(waitsForSpace.text))), false);
  assert.equal(await isWaiting({}), false);
});
