import i18next from 'i18next';
import type { OperatorText } from './zh/operator-texts.ts';

/** The namespace of texts that replace those of operators; the service provides them in English. */
export const operatorTextsNamespace = 'operatorTexts';

type Described = { id: string; name: string; description: string; paramsSchema: Record<string, unknown> };

type Measured = { operatorId: string; score: string; description: string };

/** What a number means that an operator tells of a text. */
export function localizeMeasure({ operatorId, score, description }: Measured, language: string): string {
  const text = i18next.getResource(language, operatorTextsNamespace, operatorId) as OperatorText | undefined;
  return text?.measures?.[score] ?? description;
}

/** An operator in a language with texts for it, else as its author wrote it. */
export function localizeOperator<T extends Described>(operator: T, language: string): T {
  const text = i18next.getResource(language, operatorTextsNamespace, operator.id) as OperatorText | undefined;
  if (text === undefined) return operator;
  const properties = operator.paramsSchema['properties'] as Record<string, object> | undefined;
  const translated = Object.entries(properties ?? {}).map(([name, schema]) => {
    const param = text.params[name];
    return [name, param === undefined ? schema : { ...schema, title: param.title, description: param.help }] as const;
  });
  return {
    ...operator,
    name: text.name,
    description: text.description,
    paramsSchema: { ...operator.paramsSchema, properties: Object.fromEntries(translated) },
  };
}
