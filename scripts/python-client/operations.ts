import {
  generated,
  isEnvelope,
  snakeCase,
  typeOf,
  wrapped,
  type Document,
  type Operation,
  type Parameter,
  type Schema,
} from './document.ts';

const prefix = '/api/v1/';

/** Calls, besides GET, PUT and DELETE, that may safely be repeated: they change nothing, or have the same effect again. */
export const repeatableCalls: ReadonlySet<string> = new Set([
  'uploadChunk',
  'uploadSmallFiles',
  'queryDataset',
  'exportDatasetQuery',
  'previewCleaning',
  'inspectCleaningInput',
  'rethresholdCleaningRun',
  'testConnector',
  'previewChunking',
  'searchKnowledgeBase',
]);

/** The calls of the API as methods, except those about the service itself (health, metrics). */
export function renderPythonOperations(openApi: string): string {
  const { paths, components } = JSON.parse(openApi) as Document;
  const methods = Object.entries(paths)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) =>
        renderMethod(method, path, operation, components.schemas),
      ),
    );
  const text = methods.flat().join('\n');
  const used = ['Any', 'Dict', 'Iterator', 'List', 'Mapping', 'Optional', 'Union'].filter((type) =>
    new RegExp(`\\b${type}\\b[[\\],]`).test(text),
  );
  return [
    generated,
    '"""Every call of the API as a typed method."""',
    '',
    'from __future__ import annotations',
    '',
    `from typing import ${used.join(', ')}, cast`,
    '',
    'from . import models',
    'from .session import Content, Event, Form, Session, Stream',
    '',
    '',
    'class Operations:',
    '    """The calls of a service. Answers are the data alone, without the envelope of code and message."""',
    '',
    '    def __init__(self, session: Session) -> None:',
    '        self.session = session',
    ...methods.flatMap((lines) => ['', ...lines]),
    '',
  ].join('\n');
}

function renderMethod(method: string, path: string, operation: Operation, schemas: Schemas): string[] {
  const { operationId, summary = '', description = '', parameters = [], requestBody } = operation;
  const inQuery = parameters.filter((each) => each.in === 'query');
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
    bodyOf(type, typeOf(schema, 'models.')),
  );
  const areAllNeeded = bodies.length === 1 && requestBody?.required === true;
  const answer = answerOf(operation, schemas);
  const named = [
    ...inQuery.map((each) => queryArgument(each)),
    ...(answer.kind === 'stream' ? ['headers: Optional[Mapping[str, str]] = None'] : []),
    ...(answer.kind === 'events' ? ['last_event_id: Optional[str] = None'] : []),
  ].filter((argument, at, all) => all.indexOf(argument) === at);
  const positional = [
    'self',
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => `${snakeCase(name)}: str`),
    ...bodies.map(({ name, type }) => (areAllNeeded ? `${name}: ${type}` : `${name}: Optional[${type}] = None`)),
  ];
  const args = [...positional, ...(named.length > 0 ? ['*', ...named.sort(neededFirst)] : [])];
  const parts = path
    .slice(prefix.length)
    .split('/')
    .map((part) => (part.startsWith('{') ? snakeCase(part.slice(1, -1)) : JSON.stringify(part)));
  const isRepeatable = ['get', 'put', 'delete'].includes(method) || repeatableCalls.has(operationId);
  const passed = [
    JSON.stringify(method.toUpperCase()),
    `(${parts.join(', ')},)`,
    ...(inQuery.length > 0 ? [`query={${inQuery.map(({ name }) => `"${name}": ${snakeCase(name)}`).join(', ')}}`] : []),
    ...bodies.map(({ name }) => `${name}=${name}`),
    ...(answer.kind === 'stream' ? ['headers=headers'] : []),
    ...(answer.kind === 'events' ? ['last_event_id=last_event_id'] : []),
    ...(answer.isWrapped ? ['wrapped=True'] : []),
    ...(isRepeatable ? [] : ['repeatable=False']),
  ];
  const call = `self.session.${answer.kind}(${passed.join(', ')})`;
  const about = [summary, ...(description === '' ? [] : ['', description])].join('\n').replaceAll('\\', '\\\\');
  const notes = inQuery
    .filter((each) => each.description !== undefined)
    .map((each) => `:param ${snakeCase(each.name)}: ${each.description ?? ''}`.replaceAll('\\', '\\\\'));
  const text = [about, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
  return [
    `    def ${snakeCase(operationId)}(${args.join(', ')}) -> ${answer.type}:`,
    '        """',
    ...wrapped(text, 104).map((line) => `        ${line}`.trimEnd()),
    '        """',
    answer.type === 'None' ? `        ${call}` : `        return ${cast(answer, call)}`,
  ];
}

const neededFirst = (a: string, b: string): number => Number(a.includes(' = ')) - Number(b.includes(' = '));

function queryArgument({ name, required, schema }: Parameter): string {
  const type = typeOf(schema, 'models.');
  return required === true ? `${snakeCase(name)}: ${type}` : `${snakeCase(name)}: Optional[${type}] = None`;
}

function bodyOf(mediaType: string, type: string): { name: string; type: string } {
  if (mediaType === 'application/json') return { name: 'body', type };
  if (mediaType === 'multipart/form-data') return { name: 'form', type: 'Form' };
  return { name: 'content', type: 'Content' };
}

/** The data in an envelope. */
function dataOf({ $ref = '' }: Schema, schemas: Schemas): Schema {
  const data = schemas[$ref.slice($ref.lastIndexOf('/') + 1)]?.properties?.['data'];
  if (data === undefined) throw new Error(`${$ref} holds no data`);
  return data;
}

type Schemas = Document['components']['schemas'];

type Answer = { kind: 'json' | 'stream' | 'events'; type: string; isWrapped: boolean };

function answerOf({ operationId, responses }: Operation, schemas: Schemas): Answer {
  const [success] = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const content = success?.[1].content;
  if (content === undefined) return { kind: 'json', type: 'None', isWrapped: false };
  const json = content['application/json'];
  if (json !== undefined) {
    const data = isEnvelope(json.schema.$ref ?? '') ? dataOf(json.schema, schemas) : undefined;
    return { kind: 'json', type: typeOf(data ?? json.schema, 'models.'), isWrapped: data !== undefined };
  }
  if ('text/event-stream' in content) return { kind: 'events', type: 'Iterator[Event]', isWrapped: false };
  if (Object.keys(content).length === 1) return { kind: 'stream', type: 'Stream', isWrapped: false };
  throw new Error(`The Python client can not answer ${operationId}`);
}

const cast = ({ kind, type }: Answer, call: string): string =>
  kind === 'json' && type !== 'Any' ? `cast("${type}", ${call})` : call;
