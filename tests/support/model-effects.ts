import type { ModelQuestion, OperatorEffects } from '../../server/operators/index.ts';

/** Effects for steps that need none. */
export function noEffects(): OperatorEffects {
  return { models: { ask: () => Promise.reject(new Error('No model can be asked here')) } };
}

/** A model that gives these replies in order, and records its questions. */
export function scriptedModel(replies: readonly string[]): { effects: OperatorEffects; asked: ModelQuestion[] } {
  const asked: ModelQuestion[] = [];
  return {
    asked,
    effects: {
      models: {
        async ask(question) {
          const text = replies[asked.push(question) - 1];
          if (text === undefined) throw new Error('The script has no more replies');
          return { text, value: question.schema === undefined ? undefined : JSON.parse(text), isCut: false };
        },
      },
    },
  };
}
