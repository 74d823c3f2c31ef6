import { useEffect, useRef, useState } from 'react';
import type { RagAnswer } from '../../api/schema.ts';
import { askForAnswer } from './answer-request.ts';
import { isIndexRebuilding, retryDelayMs } from './index-rebuilding.tsx';

/** The state of an answer: its text so far, then the answer itself or why there is none. */
export type Asked = {
  question: string;
  text: string;
  /** The question is sent again automatically once the index is complete. */
  isWaitingForIndex: boolean;
  answer?: RagAnswer;
  error?: unknown;
  isGoing: boolean;
};

/** Asks a knowledge base. `ask` first awaits the model passed to it, and waits for an index that is being rebuilt. */
export function useAnswer(knowledgeBaseId: string): {
  asked: Asked | undefined;
  ask: (question: string, model: Promise<string | undefined>) => Promise<void>;
  stop: () => void;
} {
  const [asked, setAsked] = useState<Asked>();
  const going = useRef<AbortController>(undefined);
  useEffect(() => () => going.current?.abort(), []);

  const ask = async (question: string, whenModel: Promise<string | undefined>): Promise<void> => {
    going.current?.abort();
    const own = new AbortController();
    going.current = own;
    const change = (values: (old: Asked) => Partial<Asked>): void => {
      if (going.current === own) setAsked((old) => (old === undefined ? old : { ...old, ...values(old) }));
    };
    setAsked({ question, text: '', isWaitingForIndex: false, isGoing: true });
    try {
      const model = await whenModel;
      if (model === undefined || own.signal.aborted) return change(() => ({ isGoing: false }));
      const onText = (part: string): void => change(({ text }) => ({ text: text + part, isWaitingForIndex: false }));
      for (;;)
        try {
          const answer = await askForAnswer(
            knowledgeBaseId,
            { query: question, model },
            { signal: own.signal, onText },
          );
          return change(() => ({ answer, isWaitingForIndex: false, isGoing: false }));
        } catch (error) {
          if (own.signal.aborted || !isIndexRebuilding(error)) throw error;
          change(() => ({ isWaitingForIndex: true }));
          await pause(retryDelayMs(error), own.signal);
        }
    } catch (error) {
      change(() => ({ ...(own.signal.aborted ? {} : { error }), isWaitingForIndex: false, isGoing: false }));
    }
  };
  return { asked, ask, stop: () => going.current?.abort() };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new DOMException('Stopped', 'AbortError'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
