import type { OperatorEffects } from '../../operators/index.ts';

/**
 * What the steps of this worker may be handed. An effect that must not cross into a thread, such as calls of models, is
 * here a proxy that asks the main thread and answers with a promise.
 */
export function createEffects(): OperatorEffects {
  return {};
}
