import i18next from 'i18next';
import type { ConnectorText, FieldText } from './zh/connector-texts.ts';

/** The namespace of translations of connectors' texts, which the service provides in English. */
export const connectorTextsNamespace = 'connectorTexts';

type Described = { type: string; name: string; description: string; configSchema: Record<string, unknown> };

type Schema = Record<string, unknown>;

/** A connector in the given language if there are texts for it, else as its author wrote it. */
export function localizeConnector<T extends Described>(connector: T, language: string): T {
  const text = i18next.getResource(language, connectorTextsNamespace, connector.type) as ConnectorText | undefined;
  if (text === undefined) return connector;
  const { name, description, fields } = text;
  return { ...connector, name, description, configSchema: localizeFields(connector.configSchema, fields) };
}

/** A schema with translated titles and descriptions of its fields, including those of its variants. */
function localizeFields(schema: Schema, fields: Readonly<Record<string, FieldText>>): Schema {
  const properties = schema['properties'] as Record<string, Schema> | undefined;
  if (properties === undefined) return schema;
  const localized = Object.entries(properties).map(([name, property]) => {
    const text = fields[name];
    const variants = property['anyOf'] as Schema[] | undefined;
    return [
      name,
      {
        ...property,
        ...(text === undefined ? {} : { title: text.title, description: text.help }),
        ...(variants === undefined ? {} : { anyOf: variants.map((variant) => localizeFields(variant, fields)) }),
      },
    ] as const;
  });
  return { ...schema, properties: Object.fromEntries(localized) };
}
