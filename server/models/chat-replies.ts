import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../kernel/ids.ts';
import { stopped, TakenError, type Made, type MakeCall } from './attempts.ts';
import { canonicalJson, hashOf } from './canonical-json.ts';
import type { ChatOptions, ChatRequest } from './chat-request.ts';
import { ModelCallError } from './errors.ts';
import type { Ledger } from './ledger.ts';
import { defaultMaxOutputTokens, defaultTimeoutSeconds, identityOf, type Model } from './model.ts';
import type { ChatReply, Provider } from './providers/provider.ts';
import { createSchemaWays } from './schema-ways.ts';
import { repairMessages } from './structured-output.ts';
import { joinThoughts, splitThinking, withoutThinking } from './thinking.ts';
import { maxPromptTokens } from './token-estimate.ts';

/** A stored reply: the whole text, and the thoughts if the provider reported them separately. */
type Kept = { text: string; finishReason: string | null; thinking?: string };
export type OneReply = ReturnType<typeof toReply> &
  Pick<Made<unknown>, 'usage' | 'costNano'> & {
    key: string;
    known: boolean;
    /** Set for a reply from the ledger: the run that paid for it, and when it arrived. */
    stored?: { runId: string | null; finishedAt: string | null };
  };

export type AskedChat = { model: Model; provider: Provider; request: ChatRequest; options: ChatOptions };

/** Replies of models: from the ledger, from a call that another caller is making, or from a new call. */
export type ChatReplies = {
  /** A reply; a stored one of another run only if `isUsable` accepts it. */
  get(asked: AskedChat, isUsable: (one: OneReply) => boolean | Promise<boolean>): Promise<OneReply>;
  /** The stored reply to a request for repair, which makes the reply before it usable. */
  findRepair(model: Model, request: ChatRequest, text: string, problem: string): Promise<OneReply | undefined>;
};

const defaultMaxAttempts = 5;
const takenPollMs = 250;

export type ChatRepliesOptions = {
  ledger: Ledger;
  makeCall: MakeCall;
  recover: () => Promise<unknown>;
  /** Called when the ledger had the reply; `usedOn` is the day of its previous use. */
  onKnown: (key: string, usedOn: string) => void;
};

export function createChatReplies({ ledger, makeCall, recover, onKnown }: ChatRepliesOptions): ChatReplies {
  /** Calls that this process is making: identical requests wait for them. */
  const underWay = new Map<string, Promise<OneReply>>();
  const ways = createSchemaWays();

  async function reply(asked: AskedChat): Promise<OneReply> {
    const { model, request, options } = asked;
    const body = bodyOf(request);
    if (options.fresh === true) return call(asked, `fresh-${newId()}`, body);
    const key = hashOf(identityOf(model), body);
    for (;;) {
      const known = await findReply(key);
      if (known !== undefined) return known;
      const other = underWay.get(key);
      if (other === undefined) {
        const made = call(asked, key, body).finally(() => underWay.delete(key));
        underWay.set(key, made);
        try {
          return await untilAborted(made, keepsReply(options) ? options.signal : undefined);
        } catch (error) {
          if (!(error instanceof TakenError)) throw error;
        }
        await waitForOthers(key, options.signal);
      } else {
        const outcome = await untilAborted(other, options.signal).then(
          (one): OneReply => ({ ...one, usage: { input: 0, output: 0 }, costNano: 0, known: true }),
          (error: unknown) => error,
        );
        // A failure that concerns only the other caller (aborted, its budget) does not count for this one.
        if (!(outcome instanceof Error)) return outcome as OneReply;
        if (options.signal?.aborted === true) throw stopped(false);
        if (outcome instanceof ModelCallError && outcome.problem !== 'aborted') throw outcome;
      }
    }
  }

  /** Makes a new call. */
  async function call(asked: AskedChat, key: string, body: string): Promise<OneReply> {
    const { model, request, options } = asked;
    const { messages, parameters = {}, schema, sequence = 0 } = request;
    const maxTokens = parameters.maxTokens ?? model.limits.maxOutputTokens ?? defaultMaxOutputTokens;
    const { result, usage, costNano } = await makeCall<ChatReply>(
      model,
      {
        key,
        request: body,
        sequence,
        worst: { input: maxPromptTokens(messages, schema), output: maxTokens },
        forget: options.fresh === true,
        maxAttempts: options.maxAttempts ?? defaultMaxAttempts,
        async send() {
          const answer = await send(asked, maxTokens);
          const { text, finishReason, thinking } = answer;
          const kept: Kept = { text, finishReason, ...(thinking === null ? {} : { thinking }) };
          return { result: answer, usage: answer.usage, response: JSON.stringify(kept) };
        },
      },
      options,
    );
    return { ...toReply(result), usage, costNano, key, known: false };
  }

  /** One attempt at a call. */
  async function send({ model, provider, request, options }: AskedChat, maxTokens: number): Promise<ChatReply> {
    const { messages, parameters = {}, schema, sequence = 0 } = request;
    const { signal, onText } = options;
    if (signal?.aborted === true) throw stopped(false);
    let isBegun = false;
    const pass = withoutThinking((part) => {
      isBegun = true;
      onText?.(part);
    });
    try {
      return await ways.chat(model, provider, {
        messages,
        parameters: { ...parameters, maxTokens },
        schema,
        sequence,
        timeoutMs: options.timeoutMs ?? (model.limits.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
        signal: keepsReply(options) ? undefined : signal,
        onText: onText === undefined ? undefined : pass,
      });
    } catch (error) {
      throw isBegun && error instanceof ModelCallError ? asFinal(error) : error;
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

  /** Waits until the process that makes a call has ended it, or is dead. */
  async function waitForOthers(key: string, signal: AbortSignal | undefined): Promise<void> {
    for (let polls = 1; (await ledger.find(key))?.status === 'PENDING'; polls++) {
      if (signal?.aborted === true) throw stopped(false);
      if (polls % 8 === 0) await recover();
      await sleep(takenPollMs);
    }
  }

  return {
    async get(asked, isUsable) {
      const one = await reply(asked);
      const { keepRefusedOf } = asked.options;
      if (one.stored === undefined || keepRefusedOf === undefined) return one;
      const { runId, finishedAt } = one.stored;
      if ((runId !== null && keepRefusedOf.includes(runId)) || (await isUsable(one))) return one;
      await ledger.takeBack(one.key, finishedAt);
      return reply(asked);
    },
    findRepair(model, request, text, problem) {
      const repair = { ...request, messages: repairMessages(request.messages, text, problem) };
      return findReply(hashOf(identityOf(model), bodyOf(repair)));
    },
  };
}

/**
 * Whether a call continues after its caller aborts: once sent, it is billed anyway. A stream is ended early to save the
 * rest.
 */
function keepsReply({ fresh, onText }: ChatOptions): boolean {
  return fresh !== true && onText === undefined;
}

/** All parts of a request that determine its reply. */
function bodyOf({ messages, parameters = {}, schema, sequence = 0 }: ChatRequest): string {
  return canonicalJson({ messages, parameters, schema, sequence });
}

/** Splits a stored reply into thoughts and answer. */
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

/** The same failure as a final one: the caller already has a part of the reply, so the call is not retried. */
function asFinal({ problem, reason, sent, maybeBilled, usage, status }: ModelCallError): ModelCallError {
  return new ModelCallError(problem, reason, { sent, maybeBilled, usage, status });
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
