import { basePath, choice, integer, list, optionalText, requireNetwork, text } from './setting-types.ts';

/** How the service listens, and what it logs. */
export const serverSettings = {
  host: text('TILTH_HOST', '127.0.0.1', {
    section: 'Server',
    sentence: 'Address to listen on; 0.0.0.0 accepts connections from other machines.',
  }),
  port: integer('TILTH_PORT', 7700, {
    section: 'Server',
    sentence: 'Port to listen on; 0 chooses any free port.',
    min: 0,
    max: 65_535,
  }),
  basePath: basePath('TILTH_BASE_PATH', {
    section: 'Server',
    sentence:
      'Path under which a reverse proxy serves Tilth, for example /tilth; works whether or not the proxy strips it. Empty: the root.',
  }),
  trustedProxies: list('TILTH_TRUSTED_PROXIES', {
    section: 'Server',
    type: 'addresses or networks, separated by commas',
    check: requireNetwork,
    sentence: 'Reverse proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted.',
  }),
  metricsAccess: choice('TILTH_METRICS_ACCESS', ['PUBLIC', 'VIEWER', 'ADMIN'], 'PUBLIC', {
    section: 'Server',
    sentence: 'Who may read /metrics: everyone who can reach the port, or users with at least this role.',
  }),

  maxConnections: integer('TILTH_MAX_CONNECTIONS', 16_384, {
    section: 'Server',
    sentence:
      'Maximum number of open connections; further ones are refused. Set it lower if the system allows fewer open files.',
    min: 1,
    max: 1_000_000,
  }),
  headersTimeoutSeconds: integer('TILTH_HEADERS_TIMEOUT_SECONDS', 20, {
    section: 'Server',
    sentence: 'Seconds within which the headers of a request must arrive before its connection is closed.',
    min: 1,
    max: 3600,
  }),
  stallTimeoutSeconds: integer('TILTH_STALL_TIMEOUT_SECONDS', 60, {
    section: 'Server',
    sentence:
      'Seconds without progress in a request or response body after which the connection is closed; slow transfers are not affected.',
    min: 1,
    max: 3600,
  }),

  drainSeconds: integer('TILTH_DRAIN_SECONDS', 0, {
    section: 'Server',
    sentence:
      'Seconds between a stop signal and the actual stop: /readyz already answers 503 while calls are still served, so that a load balancer can switch to another node. A second signal stops at once.',
    min: 0,
    max: 3600,
  }),
  nodeAddress: optionalText('TILTH_NODE_ADDRESS', {
    section: 'Server',
    type: 'text',
    sentence: 'Address of this node as shown to administrators; unset: hostname and port.',
  }),
} as const;

export const logSettings = {
  logLevel: choice('TILTH_LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info', {
    section: 'Logs',
    sentence: 'Lowest level of log lines to write (JSON, to standard error); info writes one line per request.',
  }),
} as const;
