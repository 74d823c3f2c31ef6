export { createOutgoing, type Outgoing } from './outgoing.ts';
export { OutgoingError, type OutgoingProblem } from './outgoing-error.ts';
export type { FetchLimits, FetchOptions, GuardedFetch } from './guarded-fetch.ts';
export { outgoingSentences } from './sentences.ts';
export type { ExchangeOptions, GuardedExchange, WholeAnswer } from './guarded-exchange.ts';
