import { Type } from 'typebox';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineBatchOperator, drop, type ParamProblem } from '../operator.ts';
import { budgetParams } from '../model-budgets.ts';
import {
  askingAll,
  askingModels,
  beginningParam,
  chineseBeginning,
  chineseQuestions,
  chineseReasons,
  judgementOn,
  languageOf,
  modelProblem,
  questionModel,
  questionSentences,
} from './questions.ts';

const reasons = defineSentences('model-classifier', {
  LABEL_NOT_KEPT: 'the model says {label}, which is none of the labels that are kept',
  LABEL_TWICE: 'must not contain the label {label} twice',
  LABEL_WITHOUT_NAME: 'must have a name before the colon: {line}',
  LABEL_UNKNOWN: 'must contain only your labels; {label} is not one',
});

/** `spam: advertising of any kind` → name and description; a label may have no description. */
function labelOf(line: string): { name: string; meaning: string } {
  const colon = line.search(/[:：]/);
  if (colon === -1) return { name: line.trim(), meaning: '' };
  return { name: line.slice(0, colon).trim(), meaning: line.slice(colon + 1).trim() };
}

const instructions = {
  en: (listed: string, task: string) =>
    `You sort texts into classes. ${task}\nThe labels are:\n${listed}\n\nChoose the label that fits best. Reply with a JSON object with the field "label".`,
  zh: (listed: string, task: string) =>
    `你把文本归入类别。${task}\n标签如下：\n${listed}\n\n请选择最合适的一个标签，回复一个含字段 "label" 的 JSON 对象。`,
};

export const modelClassifier = defineBatchOperator({
  ...askingModels,
  id: 'model-classifier',
  version: '1.0.0',
  name: 'Classify with a model',
  description:
    'Has a model choose one of your labels for each text and writes it into a column of the row; with `keep`, samples with other labels are dropped. Only your labels are ever written. The text is passed to the model as data, whose instructions it must not follow. Every model call may cost money: set a budget. A sample fails if it gets no usable answer or the budget is used up. Documents have no columns: for them, leave `column` empty and set `keep`.',
  kind: 'MAPPER',
  categories: ['quality', 'fields', 'model'],
  writes: ['fields'],
  columnParam: 'column',
  params: Type.Object({
    model: questionModel,
    labels: Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
      title: 'Labels',
      default: ['useful: someone could learn from it', 'other: everything else'],
      minItems: 2,
      maxItems: 100,
      description: 'One per line: the label, a colon and a description of what belongs to it',
    }),
    task: Type.String({
      title: 'Instructions',
      default: '',
      maxLength: 10_000,
      description: 'Additional instructions, in any language; empty: none',
    }),
    column: Type.String({
      title: 'Column',
      default: 'label',
      maxLength: 200,
      description: 'Column to write the label to; empty: none',
    }),
    keep: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      title: 'Keep only',
      default: [],
      maxItems: 100,
      description: 'Keep only samples with these labels; empty: all',
    }),
    characters: beginningParam,
    ...budgetParams,
  }),
  check: (params) => labelProblem(params) ?? modelProblem(params),
  examples: [
    {
      title: 'A label that is kept',
      params: { model: 'm', labels: ['question: it asks something', 'statement'], column: '', keep: ['question'] },
      input: 'How high is Mount Everest?',
      replies: ['{"label": "question"}'],
      output: 'How high is Mount Everest?',
    },
    {
      title: 'Another label',
      params: { model: 'm', labels: ['question: it asks something', 'statement'], column: '', keep: ['question'] },
      input: 'It is 8,849 m high.',
      replies: ['{"label": "statement"}'],
      output: { drop: 'the model says statement, which is none of the labels that are kept' },
    },
  ],
  chinese: {
    name: '由模型按标签分类',
    description:
      '由模型为每段文本选择您的一个标签，并写入行的一列；设置 `keep` 时剔除其他标签的样本。只会写入您给出的标签。文本作为数据交给模型，其中的指令不会被执行。每次提问都是一次可能收费的调用：请设置预算。没有可用回答的样本失败，超出预算的样本也失败。文档没有列：对文档请只保留部分标签，并把 `column` 留空。',
    params: {
      ...chineseQuestions,
      labels: { title: '标签', help: '每行一个：标签、冒号、属于它的内容' },
      task: { title: '关注什么', help: '标签之外的说明，任何语言均可；为空则无' },
      column: { title: '列', help: '写入标签的列；为空则不写' },
      keep: { title: '只保留', help: '保留的样本的标签；为空则全部保留' },
      characters: chineseBeginning,
    },
    examples: { 'A label that is kept': '保留的标签', 'Another label': '其他标签' },
    reasons: {
      ...chineseReasons,
      LABEL_NOT_KEPT: '模型判断为 {label}，不在要保留的标签之中',
      LABEL_TWICE: '标签 {label} 只能出现一次',
      LABEL_WITHOUT_NAME: '冒号之前必须有名称：{line}',
      LABEL_UNKNOWN: '必须是标签之一；{label} 不是',
    },
  },
  batch: ({ labels, task, column, keep, ...asked }, { models }) => {
    const known = labels.map(labelOf);
    const listed = known.map(({ name, meaning }) => (meaning === '' ? `- ${name}` : `- ${name}: ${meaning}`));
    const kept = new Set(keep.length === 0 ? known.map(({ name }) => name) : keep);
    return askingAll(models, {
      questionOf: judgementOn(asked, {
        instructions: instructions[languageOf(task + labels.join(''))](listed.join('\n'), task),
        field: 'label',
        schema: { type: 'string', enum: known.map(({ name }) => name) },
      }),
      outcomeOf({ value }, sample) {
        const { label } = value as { label: string };
        if (!kept.has(label)) return drop(reasons.LABEL_NOT_KEPT.reason({ label }));
        return column === '' ? sample : { fields: { [column]: label } };
      },
      ofBlank: () => new ReasonedError(questionSentences.NOTHING_TO_ASK_ABOUT.reason({})),
    });
  },
});

function labelProblem({ labels, keep }: { labels: string[]; keep: string[] }): ParamProblem | undefined {
  const names = new Set<string>();
  for (const line of labels) {
    const { name } = labelOf(line);
    if (name === '') return { field: 'labels', problem: reasons.LABEL_WITHOUT_NAME.reason({ line }) };
    if (names.has(name)) return { field: 'labels', problem: reasons.LABEL_TWICE.reason({ label: name }) };
    names.add(name);
  }
  const unknown = keep.find((label) => !names.has(label));
  return unknown === undefined
    ? undefined
    : { field: 'keep', problem: reasons.LABEL_UNKNOWN.reason({ label: unknown }) };
}
