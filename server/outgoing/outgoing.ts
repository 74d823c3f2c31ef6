import type { Socket } from 'node:net';
import type { Agent } from 'undici';
import type { Destination } from '../kernel/destination.ts';
import { createAddressGuard } from './address-guard.ts';
import type { GuardedExchange } from './guarded-exchange.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import { createGuardedConnect, type Resolver, type SocketOptions } from './guarded-socket.ts';

/** The only way out of this service. */
export type Outgoing = {
  /** An HTTP call; see GuardedFetch. */
  fetch: GuardedFetch;
  /** A request with its whole response, for thousands of calls; see GuardedExchange. */
  exchange: GuardedExchange;
  /** A socket for a driver with its own protocol (databases, SFTP), plain or with TLS. Throws OutgoingError. */
  connect(options: Omit<SocketOptions, 'timeoutMs'> & { timeoutMs?: number }): Promise<Socket>;
  /** Ends all connections of `fetch` and `exchange`. */
  close(): Promise<void>;
};

const defaultConnectMs = 10_000;

export function createOutgoing(options: {
  /** What an administrator allows beyond the public internet. */
  allow: readonly Destination[];
  resolve?: Resolver;
  connectTimeoutMs?: number;
}): Outgoing {
  const { allow, resolve, connectTimeoutMs = defaultConnectMs } = options;
  const guard = createAddressGuard(allow);
  const connect = createGuardedConnect({ guard, ...(resolve === undefined ? {} : { resolve }) });

  type Http = { agent: Agent; fetch: GuardedFetch; exchange: GuardedExchange };
  let http: Http | undefined;
  let opening: Promise<Http> | undefined;

  /** Loads undici on the first call: a service that makes none starts without it. */
  async function open(): Promise<Http> {
    const [{ Agent: HttpAgent }, { createGuardedFetch }, { createGuardedExchange }] = await Promise.all([
      import('undici'),
      import('./guarded-fetch.ts'),
      import('./guarded-exchange.ts'),
    ]);
    // Variables such as HTTPS_PROXY are ignored: a proxy would connect without the guard.
    const dispatcher = new HttpAgent({
      allowH2: false,
      connect({ hostname, port, protocol, servername }, callback) {
        const isTls = protocol === 'https:';
        connect({
          host: hostname.replace(/^\[|\]$/g, ''),
          port: Number(port === '' || port === undefined ? (isTls ? 443 : 80) : port),
          tls: isTls
            ? { ...(typeof servername === 'string' ? { servername } : {}), ALPNProtocols: ['http/1.1'] }
            : undefined,
          timeoutMs: connectTimeoutMs,
        }).then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(error as Error, null),
        );
      },
    } satisfies Agent.Options);
    return (http = {
      agent: dispatcher,
      fetch: createGuardedFetch({ dispatcher, guard }),
      exchange: createGuardedExchange({ dispatcher, guard }),
    });
  }

  return {
    fetch: async (url, fetchOptions) => (http ?? (await (opening ??= open()))).fetch(url, fetchOptions),
    exchange: async (url, exchangeOptions) => (http ?? (await (opening ??= open()))).exchange(url, exchangeOptions),
    connect: (target) => connect({ timeoutMs: connectTimeoutMs, ...target }),
    async close() {
      await (await opening)?.agent.destroy();
    },
  };
}
