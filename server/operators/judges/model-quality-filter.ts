import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineBatchOperator, drop, keep } from '../operator.ts';
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
} from './questions.ts';

const reasons = defineSentences('model-quality-filter', {
  GRADE_BELOW_MIN: 'the model gives {score} of {scale}, below min {min}',
  MIN_ABOVE_SCALE: 'must not be greater than scale ({min} > {scale})',
});

const instructions = {
  en: (criteria: string, scale: number) =>
    `You grade texts for a dataset that language models learn from. Grade by these criteria alone:\n${criteria}\n\nThe grade is a whole number from 0 (worst) to ${scale} (best). Reply with a JSON object with the field "score".`,
  zh: (criteria: string, scale: number) =>
    `你为用于训练语言模型的数据集给文本评分。只按以下标准评分：\n${criteria}\n\n分数为 0（最差）到 ${scale}（最好）的整数。请回复一个含字段 "score" 的 JSON 对象。`,
};

export const modelQualityFilter = defineBatchOperator({
  ...askingModels,
  id: 'model-quality-filter',
  version: '1.0.0',
  name: 'Filter by quality with a model',
  description:
    'Has a model grade each text by your criteria and drops samples graded below `min`. The grade is recorded, so another `min` can be tried on a finished run without calling the model again. The text is passed to the model as data, whose instructions it must not follow. Every model call may cost money: set a budget. A sample fails if it gets no usable grade or the budget is used up; grades are never guessed. Empty texts get 0.',
  kind: 'FILTER',
  categories: ['filter', 'quality', 'model'],
  params: Type.Object({
    model: questionModel,
    criteria: Type.String({
      title: 'Criteria',
      default:
        'The text is clear, correct, complete and well written, and someone could learn from it. Advertising, lists of links, navigation, broken text and mere opinions are bad.',
      minLength: 1,
      maxLength: 10_000,
      description: 'What makes a text good or bad, in any language',
    }),
    scale: Type.Integer({
      title: 'Highest grade',
      default: 5,
      minimum: 1,
      maximum: 100,
      description: 'Grades are whole numbers from 0 to this value',
    }),
    min: Type.Number({
      title: 'Minimum grade',
      default: 3,
      minimum: 0,
      maximum: 100,
      description: 'Samples with a lower grade are dropped',
    }),
    characters: beginningParam,
    ...budgetParams,
  }),
  thresholds: [{ param: 'min', direction: 'min' }],
  check: (params) => {
    const { min, scale } = params;
    if (min > scale) return { field: 'min', problem: reasons.MIN_ABOVE_SCALE.reason({ min, scale }) };
    return modelProblem(params);
  },
  examples: [
    {
      title: 'Good enough',
      params: { model: 'm' },
      input: 'Water boils at 100 °C at sea level, and at less on a mountain.',
      replies: ['{"score": 4}'],
      output: 'Water boils at 100 °C at sea level, and at less on a mountain.',
    },
    {
      title: 'Not good enough',
      params: { model: 'm' },
      input: 'BUY NOW!!! click here >>> best prices <<<',
      replies: ['{"score": 0}'],
      output: { drop: 'the model gives 0 of 5, below min 3' },
    },
  ],
  chinese: {
    name: '按模型评定的质量过滤',
    description:
      '由模型按您写的标准给每段文本评分，剔除低于 `min` 的样本。分数会记录下来，因此运行结束后可以试用其他 `min` 而无需再次询问。文本作为数据交给模型，其中的指令不会被执行。每次提问都是一次可能收费的调用：请设置预算。没有可用分数的样本失败，超出预算的样本也失败；不会凭猜测评分。空文本为 0 分。',
    params: {
      ...chineseQuestions,
      criteria: { title: '标准', help: '什么样的文本好或不好，任何语言均可' },
      scale: { title: '最高分', help: '分数为 0 到此值的整数' },
      min: { title: '最低分', help: '保留的最低分数' },
      characters: chineseBeginning,
    },
    examples: { 'Good enough': '足够好', 'Not good enough': '太差' },
    reasons: {
      ...chineseReasons,
      GRADE_BELOW_MIN: '模型评分 {score}（满分 {scale}）低于下限 {min}',
      MIN_ABOVE_SCALE: '不能大于最高分（{min} > {scale}）',
    },
  },
  batch: ({ criteria, scale, min, ...asked }, { models }) =>
    askingAll(models, {
      questionOf: judgementOn(asked, {
        instructions: instructions[languageOf(criteria)](criteria, scale),
        field: 'score',
        schema: { type: 'integer', minimum: 0, maximum: scale },
      }),
      outcomeOf({ value }, sample) {
        const { score } = value as { score: number };
        return score < min ? drop(reasons.GRADE_BELOW_MIN.reason({ score, scale, min }), score) : keep(sample, score);
      },
      ofBlank: (sample) =>
        min > 0 ? drop(reasons.GRADE_BELOW_MIN.reason({ score: 0, scale, min }), 0) : keep(sample, 0),
    }),
});
