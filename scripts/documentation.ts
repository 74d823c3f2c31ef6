import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../server/app.ts';
import { renderReadme } from '../server/areas/operator-market/readme.ts';
import { loadConfig, settings } from '../server/config.ts';
import { statusOfKind } from '../server/http/error-answer.ts';
import { listErrorCatalogues } from '../server/kernel/errors.ts';
import { connectors } from '../server/connectors/index.ts';
import { listSentenceCatalogues, withManyWords } from '../server/kernel/sentence-catalogue.ts';
import { operators } from '../server/operators/index.ts';

const generated = 'Generated from the code by `npm run docs`; do not edit.';

/** The OpenAPI document of a service that is built only for this. */
export async function renderApi(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-docs-'));
  try {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    const config = loadConfig({ TILTH_DATA_DIR: directory, TILTH_ADMIN_PASSWORD: 'only for this document' });
    const { app, close } = await buildApp(config, { version, logger: pino({ level: 'silent' }) });
    const document = JSON.stringify(app.swagger(), undefined, 2);
    await close();
    return `${document}\n`;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Every error code of every catalogue. Importing the service registers them all. */
export function renderErrors(): string {
  const lines = [
    '# Errors',
    '',
    generated,
    '',
    'Under `/api/v1/data-management` an error is `{error, message, errorParams, timestamp, path}` with the code in `error`;',
    'everywhere else `{code, message, error, errorCode, errorParams, timestamp, path}` with the HTTP status in `code`, its text',
    'in `message`, the problem in `error` and its code in `errorCode`. Names in braces are placeholders, filled in from `errorParams`.',
  ];
  const catalogues = [...listErrorCatalogues()].sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b));
  for (const [name, catalogue] of catalogues) {
    lines.push('', `## ${name}`, '', '| Code | Status | Message |', '|---|---|---|');
    for (const [code, [kind, message]] of Object.entries(catalogue))
      lines.push(`| \`${code}\` | ${statusOfKind[kind]} | ${cell(message)} |`);
  }
  lines.push(
    '',
    '# Sentences',
    '',
    'Reasons in ledgers, log lines, causes of failures and warnings have a code and values in addition to their English text:',
    '`reason`, `reasonCode`, `reasonParams`. A client can use them to show the sentence in another language. A value may itself',
    'be a sentence: `{code, params}`. Third-party texts have no code.',
    '',
    'Reasons in ledgers and of records of synthesis, causes of documents and rebuilds, messages of versions, errors of files, archives and runs, notes of schedules and lines of logs are stored with their codes and values. Those that release 0.2',
    'or earlier stored have only their texts: the service finds the codes by their words until the release after next.',
  );
  for (const [name, catalogue] of listSentenceCatalogues()) {
    lines.push('', `## ${name}`, '', '| Code | Sentence |', '|---|---|');
    for (const [code, sentence] of Object.entries(catalogue))
      lines.push(`| \`${code}\` | ${cell(withManyWords(sentence))} |`);
  }
  return `${lines.join('\n')}\n`;
}

function rank(catalogue: string): number {
  return catalogue === 'common' ? 0 : 1;
}

/** Every setting by section. */
export function renderSettings(): string {
  const lines = [
    '# Settings',
    '',
    generated,
    '',
    'Settings are environment variables. They can also be in a JSON file named by `TILTH_CONFIG`, under the names in the second',
    'column (`{"port": 7700}`); environment variables take precedence. An invalid value or an unknown name stops the start with a',
    'one-line error.',
  ];
  const entries = Object.entries(settings);
  for (const section of new Set(entries.map(([, setting]) => setting.section))) {
    lines.push('', `## ${section}`, '', '| Variable | In the file | Type | Default | |', '|---|---|---|---|---|');
    for (const [key, setting] of entries) {
      if (setting.section !== section) continue;
      const fallback =
        setting.default === undefined || String(setting.default) === '' ? '' : `\`${String(setting.default)}\``;
      lines.push(
        `| \`${setting.env}\` | \`${key}\` | ${cell(setting.type)} | ${fallback} | ${cell(setting.sentence)} |`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Every built-in operator with its parameters and examples. */
export function renderOperators(): string {
  const readmes = operators.map((operator) => renderReadme(operator, '##'));
  return ['# Operators', '', generated, '', readmes.join('\n')].join('\n');
}

/** Every connector with the fields of its configuration. */
export function renderConnectors(): string {
  const lines = [
    '# Connectors',
    '',
    generated,
    '',
    'What `connector.config` of a collection task takes, by `connector.type`. Secret fields are stored encrypted and never returned.',
  ];
  for (const { type, name, description, incremental, config } of connectors) {
    lines.push(
      '',
      `## ${name}`,
      '',
      `\`${type}\` · ${incremental ? 'incremental' : 'fetches everything each time'}`,
      '',
    );
    lines.push(description, '', '| Field | Type | Default | |', '|---|---|---|---|');
    const required = new Set<string>(config.required ?? []);
    for (const [field, schema] of Object.entries(config.properties as Record<string, FieldSchema>)) {
      const fallback = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``;
      const notes = [
        required.has(field) && fallback === '' ? 'Required.' : '',
        schema.writeOnly === true ? 'Secret.' : '',
      ];
      const words = [...notes.filter((note) => note !== ''), schema.description ?? ''].join(' ');
      lines.push(`| \`${field}\` | ${cell(fieldType(schema))} | ${fallback} | ${cell(words)} |`);
    }
  }
  lines.push(
    '',
    '## Types of columns',
    '',
    'What each type of PostgreSQL, MySQL, MariaDB and SQLite becomes in JSON Lines and Parquet: [column types](column-types.md).',
    '',
    '## What is not there',
    '',
    'SQL Server and MongoDB: a connector is tested against the real server, and neither of these can be installed from the packages that the tests use. Import their tables and collections as files (`http-files`, `s3`, `sftp`) or over a JSON API.',
    '',
    'Git over SSH: repositories are read over HTTP and HTTPS.',
  );
  return `${lines.join('\n')}\n`;
}

type FieldSchema = {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  items?: FieldSchema;
  anyOf?: readonly FieldSchema[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  writeOnly?: boolean;
  description?: string;
};

function fieldType({ type, enum: values, items, anyOf, writeOnly, minimum, maximum }: FieldSchema): string {
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(', ');
  if (anyOf !== undefined) return anyOf.map(fieldType).join(' or ');
  if (writeOnly === true) return 'string';
  if (items !== undefined) return `list of ${fieldType(items)}`;
  const range = minimum === undefined || maximum === undefined ? '' : `, ${minimum} to ${maximum}`;
  return `${[type].flat().join(' or ')}${range}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
