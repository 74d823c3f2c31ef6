import type { Reason, SentenceParams } from './reason.ts';

/** Kind of a failure, independent of the transport; `http/` maps each kind to one status code. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'too-large'
  | 'unsupported-media-type'
  | 'range-not-satisfiable'
  | 'precondition-failed'
  | 'rate-limited'
  | 'internal'
  | 'unavailable'
  | 'out-of-storage';

/** The values of a message by name. */
export type ErrorValues = Readonly<Record<string, string | number | Reason>>;

export type ErrorOptions = {
  cause?: unknown;
  /** Seconds after which the same call may succeed; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** The wrong parameter, if any. */
  field?: string;
  /** The values filled into the message. */
  values?: ErrorValues;
  /** The same for clients, if only these are known. */
  params?: SentenceParams;
};

/** An expected failure of a call, with a code from a catalogue and a message for people. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
  readonly field: string | undefined;
  readonly values: ErrorValues;
  /** The values for clients. */
  readonly params: SentenceParams;

  constructor(kind: ErrorKind, code: string, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.field = options.field;
    this.values = options.values ?? {};
    this.params = options.params ?? sentencesOf(this.values);
  }
}

/** Code → kind and message. The message says what is wrong and what to do; its `{name}`s are the parameters of the code. */
export type ErrorCatalogue = Readonly<Record<string, readonly [ErrorKind, string]>>;

/** `{rows|row|rows}` is a singular or plural word, chosen by the value of `rows`. */
type ParameterName<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Counted}|${string}` ? Counted : Name) | ParameterName<Rest>
  : never;

/** The values of a text: exactly its placeholders. */
export type ErrorParams<Message extends string> = Readonly<Record<ParameterName<Message>, string | number>>;

/** The parameters of a code's factory: those of its message, which may be reasons. */
type ValuesOf<Message extends string> = Readonly<Record<ParameterName<Message>, string | number | Reason>>;

export type ErrorFactory<Message extends string> = [ParameterName<Message>] extends [never]
  ? (params?: Readonly<Record<string, never>>, options?: ErrorOptions) => AppError
  : (params: ValuesOf<Message>, options?: ErrorOptions) => AppError;

export type ErrorFactories<C extends ErrorCatalogue> = { readonly [Code in keyof C]: ErrorFactory<C[Code][1]> };

const catalogues = new Map<string, ErrorCatalogue>();

/** Declares a catalogue and returns one factory per code; `name` is its heading in `docs/errors.md`. */
export function defineErrors<const C extends ErrorCatalogue>(name: string, catalogue: C): ErrorFactories<C> {
  catalogues.set(name, catalogue);
  const factories: Record<string, (params?: ErrorValues, options?: ErrorOptions) => AppError> = {};
  for (const [code, [kind, message]] of Object.entries(catalogue)) {
    factories[code] = (params = {}, options = {}) =>
      new AppError(kind, code, fill(message, params), { ...options, values: params });
  }
  return factories as ErrorFactories<C>;
}

/** All catalogues declared so far, for the generated documentation. */
export function listErrorCatalogues(): ReadonlyMap<string, ErrorCatalogue> {
  return catalogues;
}

function fill(message: string, params: ErrorValues): string {
  return message.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = params[name];
    return typeof value === 'object' ? value.text : String(value);
  });
}

/** The values for clients: reasons by code and values, those of others by their words. */
export function sentencesOf(params: ErrorValues): SentenceParams {
  const values = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'object' ? (value.sentence ?? value.text) : value,
  ]);
  return Object.fromEntries(values) as SentenceParams;
}

/** Codes that every area may use. */
export const errors = defineErrors('common', {
  INVALID_PARAMETER: ['invalid', '{field} {problem}'],
  UNAUTHENTICATED: [
    'unauthenticated',
    'This call needs {needed}; send Authorization: Bearer <token> or X-API-Key: <key>',
  ],
  FORBIDDEN: ['forbidden', 'This call needs {needed}'],
  NOT_FOUND: ['not-found', '{what} does not exist'],
  METHOD_NOT_ALLOWED: ['method-not-allowed', '{method} is not allowed here; allowed: {allowed}'],
  PAYLOAD_TOO_LARGE: ['too-large', '{what} is larger than the limit of {limit}; send less at a time'],
  UNSUPPORTED_MEDIA_TYPE: ['unsupported-media-type', 'The service cannot read this body; send {expected}'],
  RATE_LIMIT_EXCEEDED: ['rate-limited', 'The limit of {limit} calls is used up; try again in {seconds} s'],
  INTERNAL_ERROR: ['internal', 'The service failed to answer this call; its log has the cause under this request id'],
  UNAVAILABLE: ['unavailable', '{reason}; try again in {seconds} s'],
  INSUFFICIENT_STORAGE: ['out-of-storage', 'The storage is full; free some space, then repeat this call'],
});

/** A wrong parameter: `invalid('name', parameterProblems.MUST_NOT_BE_BLANK.reason({}))` → "name must not be blank". */
export function invalid(field: string, problem: Reason): AppError {
  return errors.INVALID_PARAMETER({ field, problem }, { field });
}

/** A call that may succeed later: `unavailable(causesOfDelay.SHUTTING_DOWN.reason({}), 5)` → "…; try again in 5 s", with `Retry-After`. */
export function unavailable(reason: Reason, retryAfterSeconds: number, cause?: unknown): AppError {
  return errors.UNAVAILABLE({ reason, seconds: retryAfterSeconds }, { cause, retryAfterSeconds });
}
