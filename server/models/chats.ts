import { nanoPerUnit } from './budgets.ts';
import { createChatReplies, type ChatRepliesOptions, type OneReply } from './chat-replies.ts';
import type { ChatOptions, ChatRequest } from './chat-request.ts';
import { BudgetExhaustedError, InvalidReplyError, modelErrors, UnrepairedReplyError } from './errors.ts';
import type { Mending } from '../kernel/near-json.ts';
import type { Usage } from './providers/provider.ts';
import type { ModelRegistry } from './registry.ts';
import { modelSentences } from './sentences.ts';
import { repairMessages, replyCheckOf } from './structured-output.ts';

export type ChatResult = {
  /** Without the thoughts of a reasoning model. */
  text: string;
  /** What the model wrote before its answer; its tokens are part of the usage. */
  thinking: string | null;
  /** The parsed text, if a schema was given. */
  value: unknown;
  /** The same, but numbers that a double would change keep their digits; written back by `JSON.stringify`. */
  exactValue: unknown;
  /** What was changed so that the text became JSON that fits the schema. */
  mended: readonly Mending[];
  finishReason: string | null;
  /**
   * Usage of the calls made for this request; zero if no call was needed, undefined if the provider did not
   * report tokens.
   */
  usage: Usage | undefined;
  cost: number | undefined;
  /** Key of the reply in the ledger. */
  key: string;
  /** Whether the reply came from the ledger or from another caller's call. */
  known: boolean;
  /** Whether the reply had to be repaired. */
  repaired: boolean;
};

/**
 * Conversations with models. A caller that aborts stops waiting, but a call that was sent without streaming continues:
 * its reply is stored for the next identical request. Throws ModelCallError, BudgetExhaustedError, InvalidReplyError,
 * MODEL_NOT_FOUND.
 */
export type Chats = { chat(reference: string, request: ChatRequest, options?: ChatOptions): Promise<ChatResult> };

type Parsed = Pick<ChatResult, 'value' | 'exactValue' | 'mended'>;
const noValue: Parsed = { value: undefined, exactValue: undefined, mended: [] };

export function createChats(options: ChatRepliesOptions & { registry: ModelRegistry }): Chats {
  const { registry } = options;
  const replies = createChatReplies(options);
  return {
    async chat(reference, request, chatOptions = {}) {
      const { model, provider } = await registry.open(reference);
      if (model.kind !== 'CHAT')
        throw modelErrors.MODEL_WRONG_KIND({ name: model.name, kind: model.kind, needed: 'CHAT' });
      const check = request.schema === undefined ? undefined : replyCheckOf(request.schema);
      const first = await streamed(chatOptions, check !== undefined, (options) =>
        replies.get({ model, provider, request, options }, async ({ text }) => {
          if (check === undefined) return text.trim() !== '';
          const checked = check(text);
          if ('value' in checked) return true;
          const repaired = await replies.findRepair(model, request, text, checked.problem.text);
          return repaired !== undefined && 'value' in check(repaired.text);
        }),
      );
      const result = (last: OneReply, { value, exactValue, mended }: Parsed, repaired: boolean): ChatResult => ({
        text: last.text,
        thinking: last.thinking,
        value,
        exactValue,
        mended,
        finishReason: last.finishReason,
        usage: repaired ? addUp(first.usage, last.usage) : last.usage,
        cost: costOf(repaired ? [first, last] : [last]),
        key: last.key,
        known: first.known && last.known,
        repaired,
      });
      if (check === undefined) return result(first, noValue, false);
      const checked = check(first.text);
      if ('value' in checked) return result(first, checked, false);
      if (isUnfinished(first)) throw new InvalidReplyError(unfinished, '', result(first, noValue, false));
      const messages = repairMessages(request.messages, first.text, checked.problem.text);
      const repair = { model, provider, request: { ...request, messages }, options: chatOptions };
      const second = await replies
        .get(repair, ({ text }) => 'value' in check(text))
        .catch((error: unknown) => {
          if (!(error instanceof BudgetExhaustedError)) throw error;
          throw new UnrepairedReplyError(checked.problem, error, first.known);
        });
      const again = check(second.text);
      if ('value' in again) return result(second, again, true);
      throw new InvalidReplyError(
        isUnfinished(second) ? unfinished : again.problem,
        second.text,
        result(second, noValue, true),
      );
    },
  };
}

const unfinished = modelSentences.REPLY_UNFIT_THINKING.reason({});

function isUnfinished({ text, thinking }: OneReply): boolean {
  return text.trim() === '' && thinking !== null;
}

/** Makes sure that a streaming caller gets the whole text, and no part twice. */
async function streamed(
  options: ChatOptions,
  hasSchema: boolean,
  make: (options: ChatOptions) => Promise<OneReply>,
): Promise<OneReply> {
  const { onText, ...rest } = options;
  if (onText === undefined || hasSchema) return make(rest);
  let isBegun = false;
  const one = await make({
    ...rest,
    onText(part) {
      isBegun = true;
      onText(part);
    },
  });
  if (!isBegun && one.text !== '') onText(one.text);
  return one;
}

function costOf(replies: readonly OneReply[]): number | undefined {
  let sum = 0;
  for (const { costNano } of replies) {
    if (costNano === undefined) return undefined;
    sum += costNano;
  }
  return sum / nanoPerUnit;
}

function addUp(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (one === undefined || other === undefined) return undefined;
  return { input: one.input + other.input, output: one.output + other.output };
}
