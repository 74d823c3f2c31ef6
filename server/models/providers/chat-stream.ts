import { isUnmistakable, redact } from '../../secrets/index.ts';
import type { Reason } from '../../kernel/reason.ts';
import { ModelCallError } from '../errors.ts';
import { modelSentences } from '../sentences.ts';

/** A reply that arrives as server-sent events, one per few tokens, as in OpenAI's API. */
export type ChatStream = {
  push(part: Buffer): void;
  /** The usage, in the form of a non-streamed answer, once the provider has reported all of it. */
  usage(): unknown;
  /** The whole reply in the form of a non-streamed answer. Throws ModelCallError if it broke off. */
  finish(): object;
};

type Event = {
  error?: unknown;
  choices?: {
    delta?: { content?: unknown; refusal?: unknown; reasoning_content?: unknown; reasoning?: unknown };
    finish_reason?: unknown;
  }[];
  usage?: unknown;
};

export function createChatStream({
  host,
  apiKey = '',
  onText,
}: {
  host: string;
  apiKey: string | undefined;
  onText: (part: string) => void;
}): ChatStream {
  const decoder = new TextDecoder();
  const hidden = isUnmistakable(apiKey) ? apiKey : '';
  let [line, data, text, thinking, held] = ['', '', '', '', ''];
  let finishReason: string | null = null;
  let usage: unknown;
  let isUsageWhole = false;
  let isDone = false;
  let isDamaged = false;
  let isUnicode = true;
  let failure: unknown;

  function take(event: string): void {
    if (event === '[DONE]') isDone = true;
    if (isDone || event === '') return;
    let parsed: Event | null;
    try {
      parsed = JSON.parse(event) as Event | null;
    } catch {
      isDamaged = true;
      return;
    }
    if (typeof parsed !== 'object' || parsed === null) return;
    failure ??= parsed.error ?? undefined;
    usage = parsed.usage ?? usage;
    // Some providers report the usage so far with each event; the event with the total has no choices.
    isUsageWhole ||= Boolean(parsed.usage) && Array.isArray(parsed.choices) && parsed.choices.length === 0;
    const choice = Array.isArray(parsed.choices) ? parsed.choices[0] : undefined;
    if (typeof choice?.finish_reason === 'string') finishReason = choice.finish_reason;
    const { content, refusal, reasoning_content: thought = choice?.delta?.reasoning } = choice?.delta ?? {};
    if (typeof thought === 'string') thinking += thought;
    const part = typeof content === 'string' ? content : typeof refusal === 'string' ? refusal : '';
    if (part !== '') pass(part.replaceAll('\0', ''));
  }

  /** Holds back a possible beginning of the key, or half a character, until the rest arrives. */
  function pass(part: string): void {
    held = hidden === '' ? held + part : (held + part).replaceAll(hidden, '[redacted]');
    let kept = Math.min(held.length, hidden.length - 1);
    while (kept > 0 && !hidden.startsWith(held.slice(-kept))) kept -= 1;
    kept = Math.max(0, kept);
    if (kept === 0 && /[\uD800-\uDBFF]$/.test(held)) kept = 1;
    release(held.slice(0, held.length - kept));
    held = kept === 0 ? '' : held.slice(-kept);
  }

  function release(part: string): void {
    // Nothing is passed on after half a character: it could not be taken back when the reply is refused.
    isUnicode &&= part.isWellFormed();
    if (part === '' || !isUnicode) return;
    text += part;
    onText(part);
  }

  function takeLine(whole: string): void {
    const one = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    if (one === '') {
      take(data);
      data = '';
    } else if (one.startsWith('data:')) {
      const value = one.slice(one.charAt(5) === ' ' ? 6 : 5);
      data = data === '' ? value : `${data}\n${value}`;
    }
  }

  return {
    push(part) {
      const lines = decoder.decode(part, { stream: true }).split('\n');
      for (const piece of lines.slice(0, -1)) {
        takeLine(line + piece);
        line = '';
      }
      line += lines.at(-1) ?? '';
    },
    usage: () => (isUsageWhole || finishReason !== null ? usage : undefined),
    finish() {
      takeLine(line);
      take(data);
      release(held);
      held = '';
      if (failure !== undefined) {
        const said = typeof failure === 'object' ? ((failure as { message?: unknown }).message ?? failure) : failure;
        const quoted = redact(typeof said === 'string' ? said : JSON.stringify(said), [apiKey]).slice(0, 300);
        const words = quoted.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
        throw broken(modelSentences.PROVIDER_BROKE_OFF_SAYING.reason({ host, said: words }));
      }
      if (!isUnicode) throw broken(modelSentences.PROVIDER_NO_UNICODE.reason({ host }));
      if (isDamaged) throw broken(modelSentences.PROVIDER_DAMAGED_STREAM.reason({ host }));
      if (!isDone && finishReason === null) throw broken(modelSentences.PROVIDER_BROKE_OFF.reason({ host }));
      return {
        choices: [{ message: { content: text, reasoning_content: thinking }, finish_reason: finishReason }],
        usage,
      };
    },
  };
}

function broken(words: Reason): ModelCallError {
  return new ModelCallError('bad-answer', words, { retryable: true, maybeBilled: true });
}
