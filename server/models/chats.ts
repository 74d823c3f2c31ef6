import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../kernel/ids.ts';
import { stopped, TakenError, type Asker, type Made, type MakeCall } from './attempts.ts';
import { nanoPerUnit } from './budgets.ts';
import { canonicalJson, hashOf } from './canonical-json.ts';
import {
  BudgetExhaustedError,
  InvalidReplyError,
  modelErrors,
  ModelCallError,
  UnrepairedReplyError,
  WayRefusedError,
} from './errors.ts';
import type { Ledger } from './ledger.ts';
import { defaultMaxOutputTokens, defaultTimeoutSeconds, identityOf, type Model } from './model.ts';
import {
  schemaWays,
  type ChatMessage,
  type ChatParameters,
  type ChatReply,
  type Provider,
  type ReplySchema,
  type SchemaWay,
  type Usage,
} from './providers/provider.ts';
import type { ModelRegistry } from './registry.ts';
import { repairMessages, replyCheckOf } from './structured-output.ts';
import { joinThoughts, splitThinking, withoutThinking } from './thinking.ts';
import { maxPromptTokens } from './token-estimate.ts';

export type ChatRequest = {
  messages: readonly ChatMessage[];
  parameters?: ChatParameters | undefined;
  /** A JSON Schema: the reply is validated, and repaired once. */
  schema?: ReplySchema | undefined;
  /** Selects one of several replies to the same request; the next number makes a new call. */
  sequence?: number | undefined;
};

export type ChatOptions = Asker & {
  /** Calls even if the ledger has a reply, and stores none. */
  fresh?: boolean;
  /**
   * The runs whose stored replies that can't be used (they are empty, or don't fit the schema) stay as they are; the model is asked again for
   * those of other runs. Default: every stored reply is used.
   */
  keepRefusedOf?: readonly string[];
  maxAttempts?: number;
  timeoutMs?: number;
  /**
   * Receives the text of the reply as it grows, the whole at once where the reply is known already or the model can't
   * stream. The parts add up to the text; after the first one a call that fails is not tried again. Not with a schema.
   */
  onText?: (part: string) => void;
};

export type ChatResult = {
  /** Without the thoughts of a reasoning model. */
  text: string;
  /** What the model wrote before its answer; its tokens are part of the usage. */
  thinking: string | null;
  /** The parsed text, if a schema was given. */
  value: unknown;
  /** The same, with numbers that a double would change in their own digits, as `JSON.stringify` writes them. */
  exactValue: unknown;
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
 * Conversations with models. A caller that aborts waits no longer, but a call that was sent, and that no stream shows as it grows, goes on:
 * its reply is stored for whoever asks the same again. Throws ModelCallError, BudgetExhaustedError, InvalidReplyError, MODEL_NOT_FOUND. */
export type Chats = { chat(reference: string, request: ChatRequest, options?: ChatOptions): Promise<ChatResult> };

/** A reply as it is stored: all of the text that came, and the thoughts that the provider told apart. */
type Parsed = Pick<ChatResult, 'value' | 'exactValue'>;
const noValue: Parsed = { value: undefined, exactValue: undefined };

type Kept = { text: string; finishReason: string | null; thinking?: string };
type OneReply = ReturnType<typeof toReply> &
  Pick<Made<unknown>, 'usage' | 'costNano'> & {
    key: string;
    known: boolean;
    /** Where it was read from the ledger: the run that paid for it, and when it came. */
    stored?: { runId: string | null; finishedAt: string | null };
  };

const defaultMaxAttempts = 5;
const takenPollMs = 250;

export function createChats(options: {
  registry: ModelRegistry;
  ledger: Ledger;
  makeCall: MakeCall;
  recover: () => Promise<unknown>;
  /** Called when the ledger had the reply; `usedOn` is the day of its previous use. */
  onKnown: (key: string, usedOn: string) => void;
}): Chats {
  const { registry, ledger, makeCall, recover, onKnown } = options;
  /** Calls that this process is making: identical requests wait for them. */
  const underWay = new Map<string, Promise<OneReply>>();
  /** How each model is asked for a schema, after it refused another way. */
  const ways = new Map<string, SchemaWay>();

  async function reply(
    model: Model,
    provider: Provider,
    request: ChatRequest,
    chatOptions: ChatOptions,
  ): Promise<OneReply> {
    const { messages, parameters = {}, schema, sequence = 0 } = request;
    const body = bodyOf(request);
    // What was sent is billed whether its caller still waits or not. A stream ends early to save the rest of it.
    const keepsReply = chatOptions.fresh !== true && chatOptions.onText === undefined;
    if (chatOptions.fresh === true) return call(`fresh-${newId()}`, body);
    const key = hashOf(identityOf(model), body);
    for (;;) {
      const known = await findReply(key);
      if (known !== undefined) return known;
      const other = underWay.get(key);
      if (other === undefined) {
        const made = call(key, body).finally(() => underWay.delete(key));
        underWay.set(key, made);
        try {
          return await untilAborted(made, keepsReply ? chatOptions.signal : undefined);
        } catch (error) {
          if (!(error instanceof TakenError)) throw error;
        }
        await waitForOthers(key, chatOptions.signal);
      } else {
        const outcome = await untilAborted(other, chatOptions.signal).then(
          (one): OneReply => ({ ...one, usage: { input: 0, output: 0 }, costNano: 0, known: true }),
          (error: unknown) => error,
        );
        // A failure that concerns only the other caller (aborted, its budget) does not count for this one.
        if (!(outcome instanceof Error)) return outcome as OneReply;
        if (chatOptions.signal?.aborted === true) throw stopped(false);
        if (outcome instanceof ModelCallError && outcome.problem !== 'aborted') throw outcome;
      }
    }

    async function call(callKey: string, requestBody: string): Promise<OneReply> {
      const maxTokens = parameters.maxTokens ?? model.limits.maxOutputTokens ?? defaultMaxOutputTokens;
      const timeoutMs = chatOptions.timeoutMs ?? (model.limits.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
      const { result, usage, costNano } = await makeCall<ChatReply>(
        model,
        {
          key: callKey,
          request: requestBody,
          sequence,
          worst: { input: maxPromptTokens(messages, schema), output: maxTokens },
          forget: chatOptions.fresh === true,
          maxAttempts: chatOptions.maxAttempts ?? defaultMaxAttempts,
          async send() {
            const given = { ...parameters, maxTokens };
            const { signal, onText } = chatOptions;
            if (signal?.aborted === true) throw stopped(false);
            let isBegun = false;
            const pass = withoutThinking((part) => {
              isBegun = true;
              onText?.(part);
            });
            const answer = await inSomeWay(model, provider, {
              messages,
              parameters: given,
              schema,
              sequence,
              timeoutMs,
              signal: keepsReply ? undefined : signal,
              onText: onText === undefined ? undefined : pass,
            }).catch((error: unknown) => {
              throw isBegun && error instanceof ModelCallError ? asFinal(error) : error;
            });
            const { text, finishReason, thinking } = answer;
            const kept: Kept = { text, finishReason, ...(thinking === null ? {} : { thinking }) };
            return { result: answer, usage: answer.usage, response: JSON.stringify(kept) };
          },
        },
        chatOptions,
      );
      return { ...toReply(result), usage, costNano, key: callKey, known: false };
    }
  }

  /**
   * Asks for a schema in the strictest way that the provider supports; when one way is refused, the next attempt uses
   * the next.
   */
  async function inSomeWay(
    model: Model,
    provider: Provider,
    call: Parameters<Provider['chat']>[0],
  ): Promise<ChatReply> {
    const id = identityOf(model);
    const way = ways.get(id) ?? schemaWays[0];
    try {
      return await provider.chat(call, way);
    } catch (error) {
      const next = schemaWays[schemaWays.indexOf(way) + 1];
      const refusesSchema =
        call.schema !== undefined &&
        next !== undefined &&
        error instanceof ModelCallError &&
        (error.status === 400 ||
          error.status === 404 ||
          error.status === 415 ||
          error.status === 422 ||
          error.status === 501) &&
        /response_format|json_schema|json_object|schema|format|grammar|support/i.test(error.message);
      if (!refusesSchema) throw error;
      // Another call may already have moved further.
      if (schemaWays.indexOf(ways.get(id) ?? schemaWays[0]) < schemaWays.indexOf(next)) ways.set(id, next);
      throw new WayRefusedError(error);
    }
  }

  async function findReply(key: string): Promise<OneReply | undefined> {
    const row = await ledger.find(key);
    if (row?.status !== 'DONE' || row.response === null) return undefined;
    onKnown(key, row.used_on);
    const kept = JSON.parse(row.response) as Kept;
    const stored = { runId: row.run_id, finishedAt: row.finished_at };
    return { ...toReply(kept), usage: { input: 0, output: 0 }, costNano: 0, key, known: true, stored };
  }

  /** A reply; a stored one of another run only if it can be used. */
  async function usableReply(
    model: Model,
    provider: Provider,
    request: ChatRequest,
    chatOptions: ChatOptions,
    isUsable: (one: OneReply) => boolean | Promise<boolean>,
  ): Promise<OneReply> {
    const one = await reply(model, provider, request, chatOptions);
    const { keepRefusedOf } = chatOptions;
    if (one.stored === undefined || keepRefusedOf === undefined) return one;
    const { runId, finishedAt } = one.stored;
    if ((runId !== null && keepRefusedOf.includes(runId)) || (await isUsable(one))) return one;
    await ledger.takeBack(one.key, finishedAt);
    return reply(model, provider, request, chatOptions);
  }

  /** The stored reply to a request for repair, which makes the reply before it usable. */
  function findRepair(
    model: Model,
    request: ChatRequest,
    text: string,
    problem: string,
  ): Promise<OneReply | undefined> {
    const repair = { ...request, messages: repairMessages(request.messages, text, problem) };
    return findReply(hashOf(identityOf(model), bodyOf(repair)));
  }

  /** Waits until the process that makes a call has ended it, or is dead. */
  async function waitForOthers(key: string, signal: AbortSignal | undefined): Promise<void> {
    for (let polls = 1; (await ledger.find(key))?.status === 'PENDING'; polls++) {
      if (signal?.aborted === true) throw stopped(false);
      if (polls % 8 === 0) await recover();
      await sleep(takenPollMs);
    }
  }

  return {
    async chat(reference, request, chatOptions = {}) {
      const { model, provider } = await registry.open(reference);
      if (model.kind !== 'CHAT')
        throw modelErrors.MODEL_WRONG_KIND({ name: model.name, kind: model.kind, needed: 'CHAT' });
      const check = request.schema === undefined ? undefined : replyCheckOf(request.schema);
      const first = await streamed(chatOptions, check !== undefined, (passed) =>
        usableReply(model, provider, request, passed, async ({ text }) => {
          if (check === undefined) return text.trim() !== '';
          const checked = check(text);
          if ('value' in checked) return true;
          const repair = await findRepair(model, request, text, checked.problem);
          return repair !== undefined && 'value' in check(repair.text);
        }),
      );
      const result = (last: OneReply, { value, exactValue }: Parsed, repaired: boolean): ChatResult => ({
        text: last.text,
        thinking: last.thinking,
        value,
        exactValue,
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
      const messages = repairMessages(request.messages, first.text, checked.problem);
      const second = await usableReply(
        model,
        provider,
        { ...request, messages },
        chatOptions,
        ({ text }) => 'value' in check(text),
      ).catch((error: unknown) => {
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

/** All of a request that determines its reply. */
function bodyOf({ messages, parameters = {}, schema, sequence = 0 }: ChatRequest): string {
  return canonicalJson({ messages, parameters, schema, sequence });
}

/** What stands between the thoughts and the answer of a stored reply. */
function toReply({
  text,
  thinking,
  finishReason,
}: {
  text: string;
  finishReason: string | null;
  thinking?: string | null;
}) {
  const split = splitThinking(text);
  return { text: split.text, thinking: joinThoughts([thinking, split.thinking]), finishReason };
}

const unfinished = 'the model was still thinking when its reply ended: raise maxTokens';

function isUnfinished({ text, thinking }: OneReply): boolean {
  return text.trim() === '' && thinking !== null;
}

/** The same failure, after which the call is not made again: its caller has a part of the reply. */
function asFinal({ problem, message, sent, maybeBilled, usage, status }: ModelCallError): ModelCallError {
  return new ModelCallError(problem, message, { sent, maybeBilled, usage, status });
}

/** Makes sure that a caller who wants a growing text gets all of it, and no part twice. */
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

/** Waits for a call until this caller aborts. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(stopped(false));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
