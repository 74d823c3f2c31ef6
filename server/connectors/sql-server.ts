import type { Reason } from '../kernel/sentences/index.ts';
import { isIP } from 'node:net';
import { Type } from 'typebox';
import { SourceError } from './connector.ts';
import { secret } from './http-fields.ts';
import { sqlFields, type SqlSource } from './sql-rows.ts';
import { sourceSentences } from './sentences.ts';

/** The configuration of a database reached over the network. */
export type SqlServerConfig = SqlSource & {
  host: string;
  port: number;
  database: string;
  user: string;
  password?: string | null;
  tls: boolean;
  certificateAuthority?: string;
  settleSeconds?: number;
};

/** Time limit for a server that sends nothing. */
export const answerMs = 600_000;

export const sampleRows = 5;

export const sqlServerFields = (port: number) => ({
  host: Type.String({ minLength: 1, maxLength: 255 }),
  port: Type.Integer({ default: port, minimum: 1, maximum: 65_535 }),
  database: Type.String({ minLength: 1, maxLength: 200 }),
  user: Type.String({ minLength: 1, maxLength: 200 }),
  password: secret('Password of the user'),
  tls: Type.Boolean({ default: false, description: "Encrypt the connection and check the server's certificate" }),
  certificateAuthority: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description: 'PEM certificate of the CA that signed the server certificate, if it is a private CA',
    }),
  ),
  ...sqlFields,
  settleSeconds: Type.Optional(
    Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 3600,
      description:
        'With incrementalColumn: how many seconds a transaction may take to commit. A run reads rows up to the value that was the latest this many seconds before; the next run reads newer ones. With 0, rows that commit after a run with a lower value than its last one are missed',
    }),
  ),
});

export function sqlServerDestinations({ host, port, tls }: SqlServerConfig): string[] {
  return [`${host}:${port}${tls ? ' with TLS' : ''}`];
}

/** What identifies the database in the state of a task. */
export function placeOf({ host, port, database }: SqlServerConfig): Readonly<Record<string, unknown>> {
  return { host, port, database };
}

/** TLS options for a driver; undefined without TLS. */
export function tlsOf(
  { host, port, tls, certificateAuthority }: SqlServerConfig,
  server: string,
): { rejectUnauthorized: true; ca?: string } | undefined {
  if (!tls) return undefined;
  // Given an IP address, the drivers would accept a certificate for localhost.
  if (isIP(host) !== 0)
    throw new SourceError(sourceSentences.TLS_NEEDS_NAME.reason({ server: `${server} at ${host}:${port}` }));
  return { rejectUnauthorized: true, ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }) };
}

export function checkMessage(sample: readonly unknown[]): Reason {
  return (sample.length === 0 ? sourceSentences.SOURCE_WITHOUT_ROWS : sourceSentences.ROWS_READABLE).reason({});
}
