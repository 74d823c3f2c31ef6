import { type Static, Type } from 'typebox';
import { codeFields, namedObject, pageOf } from '../../../http/schemas.ts';
import { idPattern } from '../../../kernel/ids.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

const openConfig = (description: string) => recordOf(Type.Unknown(), { description });

export const SourceSchema = namedObject('CollectionSource', {
  type: Type.String({ description: 'Type of the connector' }),
  config: openConfig(
    "The connector's configuration. Secret fields are null; `hasSecret` beside them says whether any is stored",
  ),
  storedSecrets: Type.Array(Type.String(), { description: 'Secret fields that have a value' }),
});

export const NewSourceSchema = namedObject('NewCollectionSource', {
  type: Type.String({ minLength: 1, maxLength: 100, description: 'Type of a connector' }),
  config: recordOf(Type.Unknown(), {
    maxProperties: 100,
    description:
      "By the connector's `configSchema`. When a task is changed, a missing or null secret field keeps its value; an empty one removes it",
  }),
});

export const ConnectorSchema = namedObject('Connector', {
  type: Type.String(),
  name: Type.String(),
  description: Type.String(),
  configSchema: openConfig('JSON Schema of the configuration; secret fields are writeOnly'),
  secretFields: Type.Array(Type.String()),
  incremental: Type.Boolean({ description: 'Whether later runs can fetch only what has changed' }),
});

export type ConnectorView = Static<typeof ConnectorSchema>;

export const ConnectorPageSchema = pageOf(ConnectorSchema);

export const ConnectorParams = Type.Object({ type: Type.String({ minLength: 1, maxLength: 100 }) });

export const ConnectorTestBody = namedObject('ConnectorTest', {
  config: NewSourceSchema.properties.config,
  taskId: Type.Optional(
    Type.String({
      pattern: idPattern,
      description: 'Task whose stored secrets are used for secret fields that are not given',
    }),
  ),
});

export type ConnectorTest = Static<typeof ConnectorTestBody>;

export const ConnectorTestResultSchema = namedObject('ConnectorTestResult', {
  ok: Type.Boolean(),
  message: Type.String({ description: 'What was found, or why the source cannot be reached' }),
  ...codeFields('message'),
  sample: Type.Array(recordOf(Type.Unknown(), { description: 'An item with its size, or a row with its columns' })),
});

export type ConnectorTestResult = Static<typeof ConnectorTestResultSchema>;
