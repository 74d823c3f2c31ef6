import type { BuiltIn } from '../../tasks/index.ts';
import type { OutputSchema } from './output-schema.ts';
import type { Checks } from './schemas/generations.ts';
import type { NewInstructionTemplate } from './schemas/templates.ts';

export type BuiltInInstruction = BuiltIn<NewInstructionTemplate> & { prompt: string };

const text = { type: 'string', minLength: 1 };

function recordOf(properties: Record<string, unknown>): OutputSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const turns = {
  type: 'array',
  minItems: 2,
  items: recordOf({ role: { type: 'string', enum: ['user', 'assistant'] }, content: text }),
};

type Kind = {
  id: string;
  type: NewInstructionTemplate['type'];
  schema: OutputSchema;
  checks: Checks;
  temperature: number;
  variables?: Record<'en' | 'zh', NonNullable<NewInstructionTemplate['variables']>>;
  words: Record<'en' | 'zh', { name: string; description: string; systemPrompt: string; prompt: string }>;
};

const kinds: readonly Kind[] = [
  {
    id: 'qa-pairs',
    type: 'QA_PAIRS',
    schema: recordOf({ question: text, answer: text }),
    checks: { language: 'SOURCE', grounding: { field: 'answer', min: 0.5 } },
    temperature: 0.7,
    words: {
      en: {
        name: 'Question and answer',
        description: 'One question that the text answers, with its answer in the words of the text.',
        systemPrompt: 'You write questions and answers for training a language model.',
        prompt:
          'Write one question that the text below answers, and its answer.\n' +
          '- The question can be understood without the text: it names its subject.\n' +
          '- The answer is complete, correct and in the words of the text; it adds nothing.\n' +
          '- Write in the language of the text.\n\n{{text}}\n\nReply with a JSON object with the fields "question" and "answer".',
      },
      zh: {
        name: '问答对（中文）',
        description: '根据文本提出一个问题，并用文本中的原话作答。',
        systemPrompt: '你为语言模型的训练编写问题和答案。',
        prompt:
          '请根据下面的文本提出一个可以由该文本回答的问题，并给出答案。\n' +
          '- 问题不依赖原文也能看懂，要点明所问的对象。\n' +
          '- 答案完整、正确，使用文本中的原话，不添加任何内容。\n' +
          '- 使用与文本相同的语言。\n\n{{text}}\n\n请回复一个 JSON 对象，包含字段 "question" 和 "answer"。',
      },
    },
  },
  {
    id: 'instruction',
    type: 'INSTRUCTION',
    schema: recordOf({ instruction: text, input: { type: 'string' }, output: text }),
    checks: { language: 'SOURCE' },
    temperature: 0.8,
    words: {
      en: {
        name: 'Instruction and response',
        description: 'One instruction about what the text says, with an input where it needs one, and the response.',
        systemPrompt: 'You write instructions and responses for training a language model.',
        prompt:
          'Write one instruction that a person could give to an assistant about the subject of the text below, and the best response.\n' +
          '- "input" is what the instruction works on, such as a passage; leave it empty if none is needed.\n' +
          '- The response relies on the text alone. Nobody who reads it sees the text, so do not mention it.\n' +
          '- Write in the language of the text.\n\n{{text}}\n\nReply with a JSON object with the fields "instruction", "input" and "output".',
      },
      zh: {
        name: '指令与回答（中文）',
        description: '围绕文本内容编写一条指令、必要时的输入以及回答。',
        systemPrompt: '你为语言模型的训练编写指令和回答。',
        prompt:
          '请围绕下面文本的主题，编写一条用户可能向助手提出的指令，并给出最好的回答。\n' +
          '- "input" 是指令所处理的内容，例如一段文字；不需要时留空。\n' +
          '- 回答只依据该文本。读者看不到文本，因此不要提及它。\n' +
          '- 使用与文本相同的语言。\n\n{{text}}\n\n请回复一个 JSON 对象，包含字段 "instruction"、"input" 和 "output"。',
      },
    },
  },
  {
    id: 'chain-of-thought',
    type: 'COT',
    schema: recordOf({ question: text, reasoning: text, answer: text }),
    checks: { language: 'SOURCE' },
    temperature: 0.7,
    words: {
      en: {
        name: 'Chain of thought',
        description: 'One question that takes several steps, the reasoning step by step, and the answer.',
        systemPrompt: 'You write questions with worked solutions for training a language model to reason.',
        prompt:
          'Write one question about the text below that takes two or more steps of reasoning, the reasoning, and the answer.\n' +
          '- The question can be understood without the text and contains what is needed to solve it.\n' +
          '- "reasoning" goes step by step and relies on the text alone.\n' +
          '- "answer" is short and follows from the reasoning.\n' +
          '- Write in the language of the text.\n\n{{text}}\n\nReply with a JSON object with the fields "question", "reasoning" and "answer".',
      },
      zh: {
        name: '思维链（中文）',
        description: '一个需要多步推理的问题、逐步推理过程和答案。',
        systemPrompt: '你为训练语言模型的推理能力编写带有解题过程的问题。',
        prompt:
          '请根据下面的文本编写一个需要两步以上推理的问题、推理过程和答案。\n' +
          '- 问题不依赖原文也能看懂，并包含解题所需的信息。\n' +
          '- "reasoning" 逐步展开，只依据该文本。\n' +
          '- "answer" 简短，并由推理得出。\n' +
          '- 使用与文本相同的语言。\n\n{{text}}\n\n请回复一个 JSON 对象，包含字段 "question"、"reasoning" 和 "answer"。',
      },
    },
  },
  {
    id: 'dialogue',
    type: 'DIALOGUE',
    schema: recordOf({ turns }),
    checks: { language: 'SOURCE' },
    temperature: 0.8,
    variables: {
      en: [{ name: 'rounds', description: 'Number of user questions', default: '3' }],
      zh: [{ name: 'rounds', description: '用户提问的轮数', default: '3' }],
    },
    words: {
      en: {
        name: 'Dialogue',
        description: 'A conversation of several turns between a user and an assistant about the text.',
        systemPrompt: 'You write conversations for training a language model.',
        prompt:
          'Write a conversation between a user and an assistant about the subject of the text below: {{rounds}} questions of the user, each with its answer.\n' +
          '- It starts with the user, and the two take turns. Later questions build on earlier answers.\n' +
          '- The assistant relies on the text alone. The user does not see the text, so nobody mentions it.\n' +
          '- Write in the language of the text.\n\n{{text}}\n\nReply with a JSON object with the field "turns", a list of objects with the fields "role" (user or assistant) and "content".',
      },
      zh: {
        name: '多轮对话（中文）',
        description: '用户与助手围绕文本进行的多轮对话。',
        systemPrompt: '你为语言模型的训练编写对话。',
        prompt:
          '请围绕下面文本的主题，编写用户与助手之间的一段对话：用户提出 {{rounds}} 个问题，助手逐一回答。\n' +
          '- 由用户开始，双方轮流发言，后面的问题承接前面的回答。\n' +
          '- 助手只依据该文本。用户看不到文本，因此双方都不要提及它。\n' +
          '- 使用与文本相同的语言。\n\n{{text}}\n\n请回复一个 JSON 对象，包含字段 "turns"：由含有 "role"（user 或 assistant）和 "content" 的对象组成的列表。',
      },
    },
  },
  {
    id: 'paraphrase',
    type: 'AUGMENTATION',
    schema: recordOf({ text }),
    checks: { language: 'SOURCE', similarToSource: 0.8 },
    temperature: 0.9,
    words: {
      en: {
        name: 'Paraphrase',
        description: 'The text in other words with the same meaning, to augment a dataset.',
        systemPrompt: 'You rewrite texts to augment a dataset.',
        prompt:
          'Rewrite the text below in other words and sentences.\n' +
          '- The meaning, all facts, names and figures stay the same; nothing is added or left out.\n' +
          '- Write in the language of the text.\n\n{{text}}\n\nReply with a JSON object with the field "text".',
      },
      zh: {
        name: '改写与增强（中文）',
        description: '用不同的措辞表达相同的含义，用于数据增强。',
        systemPrompt: '你通过改写文本来增强数据集。',
        prompt:
          '请用不同的措辞和句式改写下面的文本。\n' +
          '- 含义、事实、名称和数字保持不变，不增加也不遗漏。\n' +
          '- 使用与文本相同的语言。\n\n{{text}}\n\n请回复一个 JSON 对象，包含字段 "text"。',
      },
    },
  },
  {
    id: 'classification',
    type: 'CLASSIFICATION',
    schema: recordOf({ label: text, reason: text }),
    checks: {},
    temperature: 0,
    variables: {
      en: [{ name: 'labels', description: 'The labels to choose from, separated by commas' }],
      zh: [{ name: 'labels', description: '可选的标签，以逗号分隔' }],
    },
    words: {
      en: {
        name: 'Classification',
        description: 'The label of the text from a given list, with the reason.',
        systemPrompt: 'You label texts for training a classifier.',
        prompt:
          'Choose the one label out of this list that fits the text below best: {{labels}}.\n' +
          '- "label" is one of the list, written exactly as there.\n' +
          '- "reason" says in one sentence why.\n\n{{text}}\n\nReply with a JSON object with the fields "label" and "reason".',
      },
      zh: {
        name: '分类标注（中文）',
        description: '从给定的列表中为文本选择标签，并说明理由。',
        systemPrompt: '你为训练分类器给文本标注标签。',
        prompt:
          '请从以下列表中选择最符合下面文本的一个标签：{{labels}}。\n' +
          '- "label" 必须是列表中的一项，写法完全一致。\n' +
          '- "reason" 用一句话说明理由。\n\n{{text}}\n\n请回复一个 JSON 对象，包含字段 "label" 和 "reason"。',
      },
    },
  },
  {
    id: 'preference',
    type: 'PREFERENCE',
    schema: recordOf({ prompt: text, chosen: text, rejected: text }),
    checks: { language: 'SOURCE' },
    temperature: 0.8,
    words: {
      en: {
        name: 'Preference pair',
        description: 'A prompt with a good and a worse response, for preference training.',
        systemPrompt: 'You write pairs of responses for training a language model by preferences.',
        prompt:
          'Write a prompt that a person could give to an assistant about the subject of the text below, and two responses.\n' +
          '- "chosen" is correct, complete and helpful, and relies on the text alone.\n' +
          '- "rejected" is plausible but clearly worse: vague, incomplete or wrong in one point.\n' +
          '- Nobody sees the text, so do not mention it. Write in its language.\n\n{{text}}\n\nReply with a JSON object with the fields "prompt", "chosen" and "rejected".',
      },
      zh: {
        name: '偏好对（中文）',
        description: '一个提示及优劣两个回答，用于偏好训练。',
        systemPrompt: '你为基于偏好的语言模型训练编写成对的回答。',
        prompt:
          '请围绕下面文本的主题，编写一条用户可能向助手提出的提示，以及两个回答。\n' +
          '- "chosen" 正确、完整、有帮助，只依据该文本。\n' +
          '- "rejected" 看似合理但明显较差：含糊、不完整或有一处错误。\n' +
          '- 读者看不到文本，因此不要提及它。使用与文本相同的语言。\n\n{{text}}\n\n请回复一个 JSON 对象，包含字段 "prompt"、"chosen" 和 "rejected"。',
      },
    },
  },
];

/** Templates that come with the service, each in English and Chinese. An id is never reused. */
export const builtInTemplates: readonly BuiltInInstruction[] = kinds.flatMap((kind) =>
  (['en', 'zh'] as const).map((language) => ({
    id: `${kind.id}-${language}`,
    type: kind.type,
    language,
    ...kind.words[language],
    variables: kind.variables?.[language] ?? [],
    outputSchema: kind.schema,
    parameters: { temperature: kind.temperature },
    checks: kind.checks,
  })),
);
