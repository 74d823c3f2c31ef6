import type { Reason } from '../kernel/reason.ts';
import type { AddressGuard } from './address-guard.ts';
import { blockedPorts } from './blocked-ports.ts';
import { OutgoingError } from './outgoing-error.ts';
import { outgoingSentences } from './sentences.ts';

/** Throws OutgoingError if a URL must not be called. */
export function parseUrl(url: string | URL): URL {
  const text = String(url);
  const parsed = URL.parse(text);
  const refuse = (reason: Reason): OutgoingError => new OutgoingError('invalid-url', reason, { sent: false });
  if (parsed === null) throw refuse(outgoingSentences.URL_NOT_ONE.reason({}));
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    throw refuse(outgoingSentences.URL_SCHEME.reason({ scheme: parsed.protocol }));
  if (parsed.username !== '' || parsed.password !== '') throw refuse(outgoingSentences.URL_CREDENTIALS.reason({}));
  return parsed;
}

/** The target of a redirect for messages: an origin, or the scheme of a URL without one. */
export function redirectTarget(location: string, base: URL): string {
  const url = URL.parse(location, base.href);
  if (url === null) return 'what is no URL';
  return url.origin === 'null' ? `an address of ${url.protocol}` : url.origin;
}

/**
 * Refuses ports of other protocols, whose servers could misinterpret a request, unless an administrator has allowed
 * them.
 */
export function checkPort(url: URL, guard: AddressGuard): void {
  const port = Number(url.port);
  if (url.port === '' || !blockedPorts.has(port)) return;
  if (guard.namesPort({ host: url.hostname.replace(/^\[|\]$/g, ''), port })) return;
  throw new OutgoingError('forbidden', outgoingSentences.PORT_BLOCKED.reason({ port }), { sent: false });
}
