import type { ChatMessage, ReplySchema } from '../providers/provider.ts';
import { replyCheckOf } from '../structured-output.ts';
import { makeClozes, type Cloze } from './cloze.ts';

/** A reply of `builtin:cloze`, with its token counts. */
export type ClozeReply = { text: string; usage: { input: number; output: number } };

export function replyWithCloze(
  messages: readonly ChatMessage[],
  { schema, sequence }: { schema: ReplySchema | undefined; sequence: number },
): ClozeReply | undefined {
  const passage = passageOf(messages);
  const clozes = makeClozes(passage);
  const cloze = clozes[sequence % Math.max(1, clozes.length)];
  if (cloze === undefined) return undefined;
  const text = JSON.stringify(fitting(cloze, schema));
  return { text, usage: { input: tokensOf(passage), output: tokensOf(text) } };
}

/** Whether a schema accepts a fill-in question with its answer and position. */
export function canFill(schema: ReplySchema): boolean {
  return 'value' in replyCheckOf(schema)(JSON.stringify(fitting(specimen, schema)));
}

/** The text to ask about: between `<text>` and `</text>` in the user's last message, or the whole message. */
function passageOf(messages: readonly ChatMessage[]): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return /<text>([^]*)<\/text>/.exec(content)?.[1] ?? content;
}

/** Removes members that a closed schema does not declare. */
function fitting(cloze: Cloze, schema: ReplySchema | undefined): object {
  const { properties, additionalProperties } = schema ?? {};
  if (additionalProperties !== false || typeof properties !== 'object' || properties === null) return cloze;
  return Object.fromEntries(Object.entries(cloze).filter(([name]) => Object.hasOwn(properties, name)));
}

const specimen: Cloze = {
  question: 'A disc ____ cuts the roots of weeds and crumbles heavy clods.',
  answer: 'harrow',
  source: 'A disc harrow cuts the roots of weeds and crumbles heavy clods.',
  start: 0,
  end: 63,
};

/** An estimate like those of providers: about four bytes per token. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
