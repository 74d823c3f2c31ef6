import type { Output } from './checks.ts';
import type { SampleContent } from './prompts.ts';
import { sourceTextOf } from './checks.ts';
import type { SynthesisFields } from './schemas/tasks.ts';
import type { InstructionDefinition } from './schemas/templates.ts';

type Turn = { role: 'system' | 'user' | 'assistant'; content: string };

/** A record as a conversation, and its other fields. */
type Conversation = { turns: Turn[]; rest: Record<string, unknown> };

type TemplateType = InstructionDefinition['type'];

/** Pairs of question and answer fields; the first entry applies whose fields a record all has. */
const shapes: readonly { ask: string; answer: string; also?: 'input' | 'reasoning' }[] = [
  { ask: 'instruction', answer: 'output', also: 'input' },
  { ask: 'question', answer: 'answer', also: 'reasoning' },
  { ask: 'prompt', answer: 'chosen' },
  { ask: 'prompt', answer: 'response' },
];

/** The field that answers the source text, for types without a question. */
const answersToSource: Partial<Record<TemplateType, string>> = { AUGMENTATION: 'text', CLASSIFICATION: 'label' };

/** Whether records with these fields can be a conversation, which all formats but RAW need. */
export function canConverse(type: TemplateType, fields: readonly string[]): boolean {
  const has = (field: string | undefined): boolean => field !== undefined && fields.includes(field);
  return (
    has('turns') ||
    has('messages') ||
    has(answersToSource[type]) ||
    shapes.some(({ ask, answer }) => has(ask) && has(answer))
  );
}

function conversationOf(type: TemplateType, output: Output, source: SampleContent): Conversation | undefined {
  for (const field of ['turns', 'messages']) {
    const turns = output[field];
    if (!Array.isArray(turns) || !turns.every(isTurn)) continue;
    const { [field]: _turns, ...rest } = output;
    return { turns: turns.map(({ role, content }) => ({ role, content })), rest };
  }
  for (const { ask, answer, also } of shapes) {
    const { [ask]: question, [answer]: reply, ...rest } = output;
    if (typeof question !== 'string' || typeof reply !== 'string') continue;
    const extra = also === undefined ? undefined : output[also];
    const added = typeof extra === 'string' && extra.trim() !== '' ? extra : undefined;
    const user = also === 'input' && added !== undefined ? `${question}\n\n${added}` : question;
    const assistant = also === 'reasoning' && added !== undefined ? `${added}\n\n${reply}` : reply;
    // The unjoined answer is kept beside the joined text.
    const kept = also === 'reasoning' && added !== undefined ? { ...rest, [answer]: reply } : rest;
    return {
      turns: [
        { role: 'user', content: user },
        { role: 'assistant', content: assistant },
      ],
      rest: kept,
    };
  }
  const field = answersToSource[type];
  const { [field ?? '']: reply, ...rest } = output;
  if (field === undefined || typeof reply !== 'string') return undefined;
  return {
    turns: [
      { role: 'user', content: sourceTextOf(source) },
      { role: 'assistant', content: reply },
    ],
    rest,
  };
}

function isTurn(turn: unknown): turn is Turn {
  const { role, content } = (turn ?? {}) as { role?: unknown; content?: unknown };
  return (role === 'system' || role === 'user' || role === 'assistant') && typeof content === 'string';
}

/**
 * Converts a record to a row of the result; undefined if the format needs a conversation and the record is none. Fields
 * unknown to the format are kept beside its own.
 */
export function formatRecord(
  format: SynthesisFields['format'],
  type: TemplateType,
  output: Output,
  source: SampleContent,
): Record<string, unknown> | undefined {
  if (format === 'RAW') return { ...output };
  const conversation = conversationOf(type, output, source);
  if (conversation === undefined) return undefined;
  const { turns, rest } = conversation;
  switch (format) {
    case 'MESSAGES':
      return { messages: turns, ...without(rest, ['messages']) };
    case 'SHAREGPT':
      return {
        conversations: turns.map(({ role, content }) => ({ from: shareGptNames[role], value: content })),
        ...without(rest, ['conversations']),
      };
    case 'ALPACA':
      return alpacaOf(output, turns, rest);
  }
}

const shareGptNames = { system: 'system', user: 'human', assistant: 'gpt' };

/** The last question and answer become instruction and output; earlier ones become the history, as pairs. */
function alpacaOf(
  output: Output,
  turns: readonly Turn[],
  rest: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const { instruction, input, output: response } = output;
  const { input: _input, ...inputless } = rest;
  if (typeof instruction === 'string' && typeof response === 'string')
    return {
      instruction,
      input: typeof input === 'string' ? input : '',
      output: response,
      ...inputless,
    };
  const system = turns.filter(({ role }) => role === 'system').map(({ content }) => content);
  const pairs: [string, string][] = [];
  let question: string[] = [];
  for (const { role, content } of turns) {
    if (role === 'user') question.push(content);
    if (role !== 'assistant') continue;
    pairs.push([question.join('\n\n'), content]);
    question = [];
  }
  const last = pairs.pop();
  if (last === undefined) return undefined;
  return {
    instruction: last[0],
    input: '',
    output: last[1],
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    ...(pairs.length === 0 ? {} : { history: pairs }),
    // A trailing question without an answer.
    ...(question.length === 0 ? {} : { unanswered: question.join('\n\n') }),
    ...without(rest, ['instruction', 'input', 'output', 'history', 'system']),
  };
}

/** Renames fields that would clash with field names of the format. */
function without(rest: Record<string, unknown>, taken: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [taken.includes(name) ? `${name}_` : name, value]),
  );
}
