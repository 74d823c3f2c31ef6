import { lookup as systemLookup } from 'node:dns';
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { AddressGuard, Target } from './address-guard.ts';
import { hostAndPort } from './host-and-port.ts';
import { OutgoingError, toOutgoingError } from './outgoing-error.ts';
import { outgoingSentences } from './sentences.ts';

export type ResolvedAddress = { address: string; family: number };

/** Resolves a name as the system does; returns all its addresses. */
export type Resolver = (host: string) => Promise<ResolvedAddress[]>;

export const systemResolver: Resolver = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

export type SocketOptions = Target & {
  /** TLS options for the handshake. */
  tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername' | 'ALPNProtocols'> | undefined;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

export type GuardedConnect = (options: SocketOptions) => Promise<Socket>;

/**
 * Opens sockets to addresses that the guard allows. A name is resolved once, all its addresses are checked, and only
 * these are connected to: a second DNS answer can't interfere. The address of the connected socket is checked as well.
 */
export function createGuardedConnect({
  guard,
  resolve = systemResolver,
}: {
  guard: AddressGuard;
  resolve?: Resolver;
}): GuardedConnect {
  async function addressesOf({ host, port }: Target): Promise<ResolvedAddress[]> {
    const answers = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }];
    const allowed = new Set(
      guard.allowedOf(
        { host, port },
        answers.map(({ address }) => address),
      ),
    );
    return answers.filter(({ address }) => allowed.has(address));
  }

  return async (options) => {
    const { host, port, timeoutMs, signal } = options;
    const name = hostAndPort(options);
    const timer = AbortSignal.timeout(timeoutMs);
    const ended = signal === undefined ? timer : AbortSignal.any([signal, timer]);
    let socket: Socket | undefined;
    try {
      const addresses = await abortable(addressesOf(options), ended);
      socket = await openSocket(options, addresses, ended);
      const { remoteAddress } = socket;
      if (remoteAddress === undefined)
        throw new OutgoingError('unreachable', outgoingSentences.HOST_HUNG_UP.reason({ host: name }), { sent: false });
      guard.allowedOf({ host, port }, [remoteAddress]);
      return socket;
    } catch (error) {
      socket?.on('error', () => {}).destroy();
      if (timer.aborted && signal?.aborted !== true)
        throw new OutgoingError('timeout', outgoingSentences.HOST_SLOW.reason({ host: name, limit: timeoutMs }), {
          sent: false,
          cause: error,
        });
      throw toOutgoingError(error, name, { sent: false });
    }
  };
}

function openSocket(
  options: SocketOptions,
  addresses: readonly ResolvedAddress[],
  ended: AbortSignal,
): Promise<Socket> {
  const { host, port, tls } = options;
  // Only called for a name; returns the addresses that were checked.
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family ?? 0);
  };
  const where = { host, port, lookup, autoSelectFamily: true };
  return new Promise((resolve, reject) => {
    const socket: Socket =
      tls === undefined
        ? connectPlain({ ...where, noDelay: true })
        : connectTls({ ...(isIP(host) === 0 ? { servername: host } : {}), ...where, ...definedOf(tls) });
    const stop = (): void => void socket.destroy(ended.reason as Error);
    const settle = (done: () => void) => (): void => {
      ended.removeEventListener('abort', stop);
      socket.off('error', fail).off('close', close);
      done();
    };
    const fail = (error: Error): void => settle(() => reject(error))();
    const close = settle(() => reject(new Error('the connection was closed')));
    socket.once('error', fail).once('close', close);
    socket.once(
      tls === undefined ? 'connect' : 'secureConnect',
      settle(() => resolve(socket)),
    );
    if (ended.aborted) stop();
    else ended.addEventListener('abort', stop, { once: true });
  });
}

function definedOf<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

/** The result of a promise, unless the signal aborts first. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
