// Consecutive sentences with known ends: precision and recall of the ends found. A `|` marks an end between two sentences.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentencesOf } from './sentences.ts';

const english = [
  'It rained all day.| We stayed at home.| Nobody complained.',
  'Dr. Smith met Mrs. Jones at 5 p.m. on Monday.| They talked.',
  'The price rose by 3.5 percent to 12.40 dollars.| That is too much.',
  'See Fig. 3 and Sec. 4.2 for details.| The rest is in vol. 2, pp. 3-9.',
  'Use tools, e.g. Make or Ninja, i.e. what you know.| Then build.',
  'J. K. Rowling wrote it.| J.R.R. Tolkien did not.',
  'The U.S. Army moved to the U.K. in 1944.| He lives in the U.S.| She does not.',
  'Acme Inc. announced it.| Foo Ltd.| The company closed in 1999.',
  '“Stop!” he cried.| “Why?” she asked.| “Because I said so.”| That was all.',
  'Is it done?| Yes!| Really?!| No.',
  'Visit www.example.org or write to a.b@example.org.| Version 2.0.1 is out.',
  'Wait... what?| I do not know...| Perhaps.',
  'Smith et al. found this.| Others (see Brown et al. 2004) did not.',
  '1. Open the lid.| 2. Press the button.',
  'He was born on Jan. 5, 1920.| He died in Dec. 1999.',
  'The file is named config.txt.| Open it with vim.',
  'Yahoo! is a company.| So is Google.',
  'Lt. Col. Brown saluted.| Gen. Lee did, too.',
  'The meeting is at 9 a.m.| We will be there.',
  'This is No. 5 of the list.| No.| That is wrong.',
  'They sell cars, vans, etc.| Prices vary.',
  'He said: "It works."| She agreed.',
  'Take vitamin C.| It helps.',
  'Am 3. Mai 2020 kam er an.| Es war der 12. Oktober.| Mai und Juni folgten.',
  'Node.js is a runtime.| It runs JavaScript.',
];
const chinese = [
  '今天下雨。|我们在家。|没有人抱怨。',
  '他问：“你去吗？”|我说：“不去。”|他走了。',
  '“快跑！”他喊道。|大家都跑了。',
  '价格上涨了3.5%，到12.40元。|太贵了！',
  '详见第3.2节。|其余在附录。',
  '真的吗？！|是的。',
  '我……我不知道。|也许吧。',
  '数据清洗（见图3。）很重要。|模型训练在后。',
  'GPT-4是一个模型。|它由OpenAI发布。|版本是2.0。',
  '李明（1990年生）毕业于北京大学。|他现在在 Google Inc. 工作。',
  '一、准备工作。|二、开始。',
  '他说：“好的。我明天来。”|然后就挂了。',
];

function figuresOf(texts: readonly string[]): { precision: number; recall: number; wrong: string[] } {
  let [right, found, wanted] = [0, 0, 0];
  const wrong: string[] = [];
  for (const labelled of texts) {
    const sentences = sentencesOf(labelled.replaceAll('|', ''));
    const ends = endsOf(sentences);
    const known = endsOf(labelled.split('|').map((sentence) => sentence.trim()));
    const shared = known.filter((end) => ends.includes(end)).length;
    right += shared;
    found += ends.length;
    wanted += known.length;
    if (shared < known.length || shared < ends.length) wrong.push(sentences.join(' | '));
  }
  return { precision: right / found, recall: right / wanted, wrong };
}

/** Ends between sentences, counted in characters that are not white space. */
function endsOf(sentences: readonly string[]): number[] {
  let at = 0;
  return sentences.slice(0, -1).map((sentence) => (at += sentence.replaceAll(/\s/g, '').length));
}

for (const [language, texts, least] of [
  ['English', english, 0.97],
  ['Chinese', chinese, 0.9],
] as const) {
  test(`ends of sentences in ${language} are found, and what only looks like one is none`, (t) => {
    const { precision, recall, wrong } = figuresOf(texts);
    t.diagnostic(`precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}; wrong: ${JSON.stringify(wrong)}`);
    assert.ok(precision >= least && recall >= least);
  });
}

test('a text of a megabyte without an end, or of abbreviations alone, is split in seconds', () => {
  for (const unit of ['Dr. ', 'a.', 'A. ', '“', 'a ', '。“', '1. ']) {
    const text = unit.repeat(Math.ceil((1 << 20) / unit.length));
    const start = performance.now();
    assert.equal(sentencesOf(text).join('').replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''));
    assert.ok(performance.now() - start < 30_000, unit);
  }
});
