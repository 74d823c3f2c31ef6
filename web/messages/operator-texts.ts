import i18next from 'i18next';

/** The namespace of the names of operator categories. */
export const operatorCategoriesNamespace = 'operatorCategories';

/** The namespace of translations of operators' texts, which the service provides in English. */
export const operatorTextsNamespace = 'operatorTexts';

/** The texts of an operator in another language. */
export type OperatorText = {
  name: string;
  description: string;
  params: Readonly<Record<string, { title: string; help: string }>>;
  /** Titles of its examples, keyed by the English ones. */
  examples: Readonly<Record<string, string>>;
  /** The meaning of the scores that the operator records. */
  measures?: Readonly<Record<string, string>>;
};

type Described = {
  id: string;
  name: string;
  description: string;
  paramsSchema: Record<string, unknown>;
  examples: readonly { title: string }[];
  /** Missing in the summary of an operator. */
  setExamples?: readonly { title: string }[];
};

type Measured = { operatorId: string; score: string; description: string };

/** The name of a category of operators; a category that an author made up stays as it is. */
export function localizeCategory(category: string, language: string): string {
  return (i18next.getResource(language, operatorCategoriesNamespace, category) as string | undefined) ?? category;
}

/** The meaning of a score that an operator records. */
export function localizeMeasure({ operatorId, score, description }: Measured, language: string): string {
  const text = i18next.getResource(language, operatorTextsNamespace, operatorId) as OperatorText | undefined;
  return text?.measures?.[score] ?? description;
}

/** An operator in the given language if there are texts for it, else as its author wrote it. */
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
    examples: operator.examples.map((example) => ({ ...example, title: titleOf(example.title, text) })),
    ...(operator.setExamples === undefined
      ? {}
      : { setExamples: operator.setExamples.map((set) => ({ ...set, title: titleOf(set.title, text) })) }),
  };
}

/** The title of an example; titles of samples in one set get a number appended. */
function titleOf(title: string, { examples }: OperatorText): string {
  const [, whole = title, number, all] = /^(.*) \(sample (\d+) of (\d+)\)$/.exec(title) ?? [];
  const text = examples[whole] ?? whole;
  return number === undefined ? text : `${text}（${number}/${all}）`;
}
