/** An error response of the service. */
export class ApiError extends Error {
  readonly status: number;
  /** The error code (`DATASET_NOT_FOUND`) if the area has one, else the status text. */
  readonly code: string;
  /** The error's code and parameters, so that clients can word it in another language. */
  readonly sentence: { code: string; params: unknown } | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(options: {
    status: number;
    code: string;
    message: string;
    sentence?: { code: string; params: unknown };
    requestId: string | undefined;
    retryAfterSeconds: number | undefined;
  }) {
    super(options.message);
    this.name = 'ApiError';
    this.status = options.status;
    this.code = options.code;
    this.sentence = options.sentence;
    this.requestId = options.requestId;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** No response: the network or the service is unreachable. */
export class OfflineError extends Error {
  constructor(options?: ErrorOptions) {
    super('The service cannot be reached', options);
    this.name = 'OfflineError';
  }
}

/** Parses an error response in either of the two shapes of the API. */
export async function errorOfAnswer(response: Response): Promise<ApiError> {
  return parseError(response.status, response.headers, await response.text().catch(() => ''));
}

export function parseError(status: number, headers: { get(name: string): string | null }, body: string): ApiError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    parsed = undefined;
  }
  const { code, message, error, errorCode, errorParams } = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<
    string,
    unknown
  >;
  // Data management: {error: CODE, message: text}; elsewhere {code: status, message: status text, error: text}.
  const isGeneral = typeof code === 'number';
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiError({
    status,
    code: textOr(isGeneral ? message : error, `HTTP ${status}`),
    message: textOr(isGeneral ? error : message, `HTTP ${status}`),
    sentence: { code: textOr(isGeneral ? errorCode : error, ''), params: errorParams },
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}
