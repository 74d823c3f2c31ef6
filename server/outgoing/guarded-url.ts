import type { AddressGuard } from './address-guard.ts';
import { blockedPorts } from './blocked-ports.ts';
import { OutgoingError } from './outgoing-error.ts';

/** Throws OutgoingError if a URL must not be called. */
export function parseUrl(url: string | URL): URL {
  const text = String(url);
  const parsed = URL.parse(text);
  const refuse = (problem: string): OutgoingError => new OutgoingError('invalid-url', problem, { sent: false });
  if (parsed === null) throw refuse('this is no URL');
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    throw refuse(`${parsed.protocol} can not be called, only http: and https:`);
  if (parsed.username !== '' || parsed.password !== '') throw refuse('a URL must not have credentials in it');
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
  throw new OutgoingError('forbidden', `port ${port} belongs to another protocol and is not called`, { sent: false });
}
