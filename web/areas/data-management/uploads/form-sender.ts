import { csrfToken } from '../../../api/client.ts';
import { OfflineError, parseError } from '../../../api/errors.ts';
import { addressOf } from '../../../api/path-prefix.ts';

/**
 * Sends a form by XMLHttpRequest and returns the response; fetch does not report upload progress. Throws an ApiError,
 * an OfflineError, or an AbortError when `signal` fires.
 */
export function sendForm<Answer>(
  path: string,
  form: FormData | { body: ArrayBuffer; contentType: string },
  signal: AbortSignal,
  /** `share`: the share of the form that was sent, 0 to 1. */
  onProgress: (share: number) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', addressOf(path));
    request.setRequestHeader('x-csrf-token', csrfToken());
    const abort = (): void => request.abort();
    signal.addEventListener('abort', abort, { once: true });
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('loadend', () => {
      signal.removeEventListener('abort', abort);
      if (signal.aborted) reject(paused());
      else if (request.status === 0) reject(new OfflineError());
      else if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText) as Answer);
      else reject(parseError(request.status, { get: (name) => request.getResponseHeader(name) }, request.responseText));
    });
    if (signal.aborted) reject(paused());
    else if (form instanceof FormData) request.send(form);
    else {
      request.setRequestHeader('content-type', form.contentType);
      request.send(form.body);
    }
  });
}

function paused(): DOMException {
  return new DOMException('The upload was paused', 'AbortError');
}
