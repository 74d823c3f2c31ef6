import { Type } from 'typebox';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineBatchOperator } from '../operator.ts';
import { budgetOf, budgetParams } from '../model-budgets.ts';
import {
  askingAll,
  askingModels,
  chineseQuestions,
  chineseReasons,
  languageOf,
  messagesOf,
  modelProblem,
  questionModel,
} from './questions.ts';

const reasons = defineSentences('model-rewriter', {
  PROMPT_WITHOUT_TEXT: 'must contain {placeholder}, which stands for the text',
  REPLY_CUT: 'the reply of the model was cut off: raise replyTokens',
  REPLY_EMPTY: 'the model replied with nothing',
});

const placeholder = /\{\{\s*text\s*\}\}/g;

const rules = {
  en: 'Reply with the finished text alone: without a preface, explanations or tags around it.',
  zh: '只回复完成后的文本本身：不要前言、说明，也不要外加标签。',
};

export const modelRewriter = defineBatchOperator({
  ...askingModels,
  id: 'model-rewriter',
  version: '1.0.0',
  name: 'Rewrite with a model',
  description:
    'Has a model process each text as your prompt says, for example correct, translate or summarise it, and replaces the text with the reply or writes the reply into a column of the row. `{{text}}` in the prompt stands for the text, which is passed to the model as data, whose instructions it must not follow. Every model call may cost money: set a budget. A sample fails, and its text is unchanged, if the budget is used up or the reply is empty or cut off.',
  kind: 'MAPPER',
  categories: ['cleaning', 'fields', 'model'],
  writes: ['text', 'fields'],
  columnParam: 'column',
  params: Type.Object({
    model: questionModel,
    prompt: Type.String({
      title: 'Prompt',
      default:
        'Correct the spelling, grammar and punctuation of this text. Change nothing else, and keep its language:\n\n{{text}}',
      minLength: 1,
      maxLength: 10_000,
      description: 'Instructions for the model, in any language; `{{text}}` stands for the text',
    }),
    column: Type.String({
      title: 'Column',
      default: '',
      maxLength: 200,
      description: 'Column to write the reply to; empty: replace the text',
    }),
    replyTokens: Type.Integer({
      title: 'Maximum reply tokens',
      default: 4096,
      minimum: 16,
      maximum: 1_000_000,
      description: 'A longer reply is cut off, and its sample fails',
    }),
    temperature: Type.Number({
      title: 'Temperature',
      default: 0,
      minimum: 0,
      maximum: 2,
      description: 'Randomness of the reply; 0: always the most likely words',
    }),
    ...budgetParams,
  }),
  check: (params) =>
    params.prompt.search(placeholder) === -1
      ? { field: 'prompt', problem: reasons.PROMPT_WITHOUT_TEXT.reason({ placeholder: '{{text}}' }) }
      : modelProblem(params),
  examples: [
    {
      title: 'Corrected',
      params: { model: 'm' },
      input: 'their are too mistakes hear',
      replies: ['There are two mistakes here.'],
      output: 'There are two mistakes here.',
    },
    {
      title: 'Translated',
      params: { model: 'm', prompt: '把下面的文本译成中文：{{text}}' },
      input: 'Data is cleaned first.',
      replies: ['首先清洗数据。'],
      output: '首先清洗数据。',
    },
  ],
  chinese: {
    name: '由模型按提示词改写',
    description:
      '由模型按您的提示词处理每段文本，例如更正、翻译或概括，并用回复替换文本，或写入行的一列。提示词中的 `{{text}}` 代表文本；文本作为数据交给模型，其中的指令不会被执行。每次提问都是一次可能收费的调用：请设置预算。超出预算、回复为空或被截断的样本失败，其文本保持原样。',
    params: {
      ...chineseQuestions,
      prompt: { title: '提示词', help: '模型要做什么，任何语言均可；`{{text}}` 代表文本' },
      column: { title: '列', help: '写入回复的列；为空则替换文本' },
      replyTokens: { title: '回复的 token 数', help: '一次回复最多的 token 数；更长的回复会被截断，其样本失败' },
      temperature: { title: '温度', help: '模型用词的自由程度：0 表示最可能的用词' },
    },
    examples: { Corrected: '更正后', Translated: '翻译后' },
    reasons: {
      ...chineseReasons,
      PROMPT_WITHOUT_TEXT: '必须包含 {placeholder}，它代表文本',
      REPLY_CUT: '模型的回复被截断：请提高 replyTokens',
      REPLY_EMPTY: '模型没有回复任何内容',
    },
  },
  batch: ({ model, prompt, column, replyTokens, temperature, ...caps }, { models }) => {
    const rule = rules[languageOf(prompt)];
    return askingAll(models, {
      questionOf: (text) => ({
        model,
        messages: messagesOf(rule, (data) => prompt.replaceAll(placeholder, () => data), text),
        temperature,
        maxTokens: replyTokens,
        ...budgetOf(caps),
      }),
      outcomeOf({ text, isCut }) {
        if (isCut) return new ReasonedError(reasons.REPLY_CUT.reason({}));
        const written = text.trim();
        if (written === '') return new ReasonedError(reasons.REPLY_EMPTY.reason({}));
        return column === '' ? { text: written } : { fields: { [column]: written } };
      },
      ofBlank: (sample) => (column === '' ? sample : { fields: { [column]: '' } }),
    });
  },
});
