/** What went wrong, in words that no transport knows; `http/` maps each kind to one status code. */
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

export type ErrorParams = Readonly<Record<string, string | number>>;

export type ErrorOptions = {
  cause?: unknown;
  /** Seconds after which the same call may succeed; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** The parameter at fault, where there is one. */
  field?: string;
};

/** An expected failure of a call: one code of a catalogue, with a message for people. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
  readonly field: string | undefined;

  constructor(kind: ErrorKind, code: string, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.field = options.field;
  }
}

/** Code → what kind of failure it is and its message; `{name}` is filled from the parameters. */
export type ErrorCatalogue = Readonly<Record<string, readonly [ErrorKind, string]>>;

export type ErrorFactory = (params?: ErrorParams, options?: ErrorOptions) => AppError;

const catalogues = new Map<string, ErrorCatalogue>();

/** Declares a catalogue and gives one factory per code; the name groups its codes in the documentation. */
export function defineErrors<const C extends ErrorCatalogue>(
  name: string,
  catalogue: C,
): { readonly [K in keyof C]: ErrorFactory } {
  catalogues.set(name, catalogue);
  const factories: Record<string, ErrorFactory> = {};
  for (const [code, [kind, template]] of Object.entries(catalogue)) {
    factories[code] = (params = {}, options = {}) => new AppError(kind, code, fill(template, params), options);
  }
  return factories as { readonly [K in keyof C]: ErrorFactory };
}

/** Every catalogue that has been declared so far, for the generated documentation. */
export function listErrorCatalogues(): ReadonlyMap<string, ErrorCatalogue> {
  return catalogues;
}

function fill(template: string, params: ErrorParams): string {
  return template.replace(/\{(\w+)\}/g, (whole, key: string) =>
    params[key] === undefined ? whole : String(params[key]),
  );
}

/** The codes that every area may use. */
export const errors = defineErrors('common', {
  INVALID_PARAMETER: ['invalid', '{field} {problem}'],
  UNAUTHENTICATED: ['unauthenticated', '{problem}'],
  FORBIDDEN: ['forbidden', '{problem}'],
  NOT_FOUND: ['not-found', '{what} does not exist'],
  METHOD_NOT_ALLOWED: ['method-not-allowed', '{method} is not allowed here; allowed: {allowed}'],
  PAYLOAD_TOO_LARGE: ['too-large', '{what} is larger than the limit of {limit}'],
  UNSUPPORTED_MEDIA_TYPE: ['unsupported-media-type', '{problem}'],
  RATE_LIMIT_EXCEEDED: ['rate-limited', '{problem}'],
  INTERNAL_ERROR: ['internal', 'The service failed to answer this call; the log has the cause under this request id'],
  UNAVAILABLE: ['unavailable', '{problem}'],
  INSUFFICIENT_STORAGE: ['out-of-storage', 'The storage is full; free some space and send this again'],
});

/** A parameter that is wrong: `invalid('name', 'must not be blank')` → "name must not be blank". */
export function invalid(field: string, problem: string): AppError {
  return errors.INVALID_PARAMETER({ field, problem }, { field });
}
