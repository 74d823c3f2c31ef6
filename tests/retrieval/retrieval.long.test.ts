// The short form of `npm run test:retrieval`: eleven documents of every kind, and the first eleven hostile ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docxOf, pptxOf, xlsxOf } from '../support/document-files.ts';
import { pdfOf } from '../support/pdf-files.ts';
import { createKnowledgeBase } from '../support/knowledge-bases.ts';
import { startApp } from '../support/server.ts';
import { hostileDocuments } from './hostile-documents.ts';
import { figuresOf, makeQuestions, modes, ranksOf, reconcile, titlesOf } from './ranking.ts';

const topics: Readonly<Record<string, string>> = {
  'Disc harrows': 'A disc harrow cuts the roots of weeds and mixes stubble into the upper layer of the soil.',
  'Seed drills': 'A seed drill places single grains of wheat at an even depth and covers each row afterwards.',
  'Subsurface drains': 'Perforated pipes below the field carry surplus water from heavy clay towards open ditches.',
  'Hay making': 'Mown grass dries in windrows for three days before a baler presses it into round bales.',
  'Milking parlours': 'Cows enter the rotary parlour twice a day while sensors record the yield of every udder.',
  'Crop rotation': 'Legumes between two cereals return nitrogen to depleted ground without mineral fertiliser.',
};

function withTitle(title: string, text: string): string {
  return `<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>`;
}

test('documents of every kind end in a state, counts agree, and what they say is found', async (t) => {
  const service = await startApp(t);
  const base = await createKnowledgeBase(service);
  const pages = Object.entries(topics).map(([title, text], at) => ({
    name: `page${at}.html`,
    title,
    content: Buffer.from(withTitle(title, text)),
  }));
  const hostile = Object.entries(hostileDocuments())
    .filter(([name]) => name !== 'bomb.docx' && name !== 'line.txt')
    .slice(0, 11);
  const files = {
    ...Object.fromEntries(pages.map(({ name, content }) => [name, content])),
    'letter.docx': docxOf(['The combine harvester threshes barley while it drives over the ripe field.']),
    'talk.pptx': pptxOf([{ texts: ['Beehives stand beside orchards during the blossom of early cherries.'] }]),
    'list.xlsx': xlsxOf({ Herd: [['Shepherd dogs gather two hundred sheep on the alpine pasture every evening.']] }),
    'paper.pdf': pdfOf([['Silage ferments under plastic sheets without any oxygen for six weeks.']]),
    'chinese.txt': '春天播种之前，农民使用圆盘耙疏松土壤表层。有机质能够提高土壤的保水能力。',
    ...Object.fromEntries(hostile),
  };
  const documents = await base.add(files);
  assert.equal(documents.length, 22);
  const chunks = await reconcile(service, base, 22);
  const settled = await base.settled();
  const failed = settled.filter(({ status }) => status === 'FAILED').map(({ name }) => name);
  for (const name of ['truncated.pdf', 'empty.pdf', 'encrypted.pdf', 'deep.html', 'noise.bin', 'truncated.docx'])
    assert.ok(failed.includes(name), name);
  const good = new Set(settled.filter(({ name }) => !hostile.some(([one]) => one === name)).map(({ id }) => id));
  assert.ok(settled.every(({ id, status }) => !good.has(id) || status === 'COMPLETED'));
  const asked = chunks.filter(({ documentId }) => good.has(documentId));
  const questions = makeQuestions(asked, titlesOf(pages, settled), 20);
  assert.ok(questions.filter(({ of }) => of === 'document').length === 6 && questions.length >= 16);
  for (const mode of modes) {
    const { recall, mrr } = figuresOf(await ranksOf(base, questions, { mode }));
    assert.ok(recall === 1 && mrr > 0.9, `${mode}: recall ${recall}, reciprocal rank ${mrr}`);
  }
});
