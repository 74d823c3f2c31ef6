import { isSetOperator, type Operator } from '../../operators/index.ts';

/** The part of a parameter's JSON Schema that a page shows. */
type ParamSchema = {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly ParamSchema[];
  minimum?: number;
  maximum?: number;
  description?: string;
  default?: unknown;
};

/** Renders an operator's documentation as Markdown: description, parameters, examples. */
export function renderReadme(operator: Operator, heading = '#'): string {
  const { id, version, name, description, modality, kind, categories } = operator;
  const lines = [
    `${heading} ${name}`,
    '',
    `\`${id}\` ${version} · ${kind} · ${modality} · ${categories.join(', ')}`,
    '',
    description,
    '',
    `Reads ${listOf(operator.reads)}; writes ${listOf(operator.writes)}.`,
    '',
    ...parameterLines(operator),
    ...thresholdLines(operator),
    ...exampleLines(operator),
  ];
  return `${lines.join('\n')}\n`;
}

function parameterLines({ params }: Operator): string[] {
  const properties = Object.entries(params.properties as Record<string, ParamSchema>);
  if (properties.length === 0) return ['It takes no parameters.'];
  const rows = properties.map(([field, schema]) => {
    const fallback = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``;
    return `| \`${field}\` | ${cell(typeOf(schema))} | ${fallback} | ${cell(schema.description ?? '')} |`;
  });
  return ['| Parameter | Type | Default | |', '|---|---|---|---|', ...rows];
}

function typeOf({ type, enum: values, const: only, anyOf, minimum, maximum }: ParamSchema): string {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(', ');
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(', ');
  const range = minimum === undefined || maximum === undefined ? '' : `, ${minimum} to ${maximum}`;
  return `${type ?? ''}${range}`;
}

function thresholdLines({ thresholds = [] }: Operator): string[] {
  if (thresholds.length === 0) return [];
  const params = thresholds.map(({ param }) => `\`${param}\``).join(', ');
  return ['', `Thresholds that can be tried out over the scores of a finished run: ${params}.`];
}

function exampleLines(operator: Operator): string[] {
  const lines: string[] = [];
  if (isSetOperator(operator) && operator.setExamples.length > 0) {
    // Its other examples only repeat the samples of these one by one.
    lines.push('', '| Example over a whole set | Parameters | Inputs | Outputs |', '|---|---|---|---|');
    for (const { title, params, inputs, outputs } of operator.setExamples) {
      const shown = [inputs, outputs].map((texts) => texts.map((text: unknown) => code(text)).join('<br>'));
      lines.push(`| ${cell(title)} | ${code(params)} | ${shown.join(' | ')} |`);
    }
  } else if (operator.examples.length > 0) {
    lines.push('', '| Example | Parameters | Input | Output |', '|---|---|---|---|');
    for (const { title, params, references, input, output } of operator.examples)
      lines.push(`| ${cell(title)} | ${code(params)}${comparedWith(references)} | ${code(input)} | ${code(output)} |`);
  }
  return lines;
}

function comparedWith(references: readonly string[] = []): string {
  return references.length === 0 ? '' : `, compared with ${references.map(code).join(', ')}`;
}

function listOf(parts: readonly string[]): string {
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** JSON with every character visible. */
function code(value: unknown): string {
  const json = JSON.stringify(value).replace(
    /[^\x20-\x7e\p{L}\p{N}\p{P}\p{S}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `\`\` ${json.replaceAll('|', '\\|')} \`\``;
}
