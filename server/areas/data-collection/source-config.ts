import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { connectors, parseConfig, type Connector } from '../../connectors/index.ts';
import type { Secrets } from '../../secrets/index.ts';
import type { Tx } from '../../storage/database/database.ts';
import { secretKind, type CollectionDefinition } from './definition.ts';

type Source = CollectionDefinition['connector'];
type GivenSource = { type: string; config: Readonly<Record<string, unknown>> };

export function findConnector(type: string): Connector | undefined {
  return connectors.find((connector) => connector.type === type);
}

/**
 * Checks a configuration and stores its secrets; returns it without them. Stored secrets stay unless new ones are given or the
 * connector changes. Throws INVALID_PARAMETER, SECRETS_KEY_MISSING.
 */
export async function defineSource(
  { secrets, roots }: { secrets: Pick<Secrets, 'put' | 'remove'>; roots: readonly string[] },
  tx: Tx,
  given: GivenSource,
  { id, before }: { id: string; before: Source | undefined },
): Promise<Source> {
  const connector = findConnector(given.type);
  if (connector === undefined)
    throw invalid('connector.type', parameterProblems.NAMES_NO_CONNECTOR.reason({ type: JSON.stringify(given.type) }));
  const earlier = before?.type === given.type ? before : undefined;
  const kept = keptSecrets(connector, given.config, earlier);
  const config = checkedConfig(connector, given.config, roots, 'connector.config');
  checkDestinations(connector, { config, kept, earlier }, 'connector.config');
  if (before !== undefined && earlier === undefined) await secrets.remove(tx, secretKind, id);
  const stored = new Set<string>(kept);
  for (const field of connector.secretFields) {
    const value = given.config[field];
    if (value === undefined || value === null) continue;
    if (value === '') await secrets.remove(tx, secretKind, id, field);
    else {
      await secrets.put(tx, { kind: secretKind, id, field }, value as string);
      stored.add(field);
    }
  }
  return { type: connector.type, config: withoutSecrets(connector, config), storedSecrets: [...stored] };
}

/** The complete configuration of a test: secrets that aren't given are taken from the task. Throws INVALID_PARAMETER. */
export async function testedConfig(
  { secrets, roots }: { secrets: Pick<Secrets, 'find'>; roots: readonly string[] },
  connector: Connector,
  given: Readonly<Record<string, unknown>>,
  task: { id: string; source: Source } | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const earlier = task?.source.type === connector.type ? task.source : undefined;
  const kept = keptSecrets(connector, given, earlier);
  const config = checkedConfig(connector, given, roots, 'config');
  checkDestinations(connector, { config, kept, earlier }, 'config');
  return task === undefined ? config : { ...config, ...(await findSecrets(secrets, task.id, kept)) };
}

/** The values of stored secrets. Throws SECRET_UNREADABLE. */
export async function findSecrets(
  secrets: Pick<Secrets, 'find'>,
  taskId: string,
  fields: readonly string[],
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const field of fields) {
    const value = await secrets.find({ kind: secretKind, id: taskId, field });
    if (value !== undefined) values[field] = value;
  }
  return values;
}

/**
 * All forms in which the secrets of a complete configuration are sent: the secrets, the values of headers in them, and the
 * password as encoded for basic authentication.
 */
export function secretTextsOf(
  { secretFields }: Connector,
  config: Readonly<Record<string, unknown>>,
): readonly string[] {
  const texts = new Set<string>();
  for (const field of secretFields) {
    const value = config[field];
    if (typeof value !== 'string') continue;
    if (field === 'secretHeaders')
      for (const line of value.split('\n')) texts.add(line.slice(line.indexOf(':') + 1).trim());
    else texts.add(value);
    if (field === 'password' && typeof config['username'] === 'string') texts.add(`${config['username']}:${value}`);
  }
  texts.delete('');
  return [...texts];
}

/** A configuration as the API shows it. */
export function shownSource({ type, config, storedSecrets }: Source): Source {
  const hidden = Object.fromEntries((findConnector(type)?.secretFields ?? []).map((field) => [field, null]));
  const isSecretive = Object.keys(hidden).length > 0;
  return {
    type,
    config: { ...config, ...hidden, ...(isSecretive ? { hasSecret: storedSecrets.length > 0 } : {}) },
    storedSecrets,
  };
}

/** Stored secrets that a change leaves as they are. */
function keptSecrets(connector: Connector, given: GivenSource['config'], earlier: Source | undefined): string[] {
  const isKept = (field: string): boolean => (given[field] ?? null) === null;
  return (earlier?.storedSecrets ?? []).filter((field) => connector.secretFields.includes(field) && isKept(field));
}

function withoutSecrets({ secretFields }: Connector, config: GivenSource['config']): GivenSource['config'] {
  return Object.fromEntries(Object.entries(config).filter(([field]) => !secretFields.includes(field)));
}

function checkedConfig(
  connector: Connector,
  given: GivenSource['config'],
  roots: readonly string[],
  field: string,
): GivenSource['config'] {
  const parsed = parseConfig(connector, given, roots);
  if (parsed.ok) return parsed.config;
  throw invalid(parsed.field === '' ? field : `${field}.${parsed.field}`, parsed.problem);
}

/** A secret was given for certain destinations: sending it to others requires someone who knows it to give it again. */
function checkDestinations(
  connector: Connector,
  { config, kept, earlier }: { config: GivenSource['config']; kept: readonly string[]; earlier: Source | undefined },
  field: string,
): void {
  const [secret] = kept;
  if (secret === undefined || earlier === undefined) return;
  const known = new Set(connector.destinationsOf?.(earlier.config));
  if ((connector.destinationsOf?.(config) ?? []).every((place) => known.has(place))) return;
  throw invalid(`${field}.${secret}`, parameterProblems.MUST_REPEAT_SECRET.reason({}));
}
