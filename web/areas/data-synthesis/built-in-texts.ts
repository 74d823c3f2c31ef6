import type { TFunction } from 'i18next';
import type { SynthesisVariable } from '../../api/schema.ts';

const kinds = [
  'qa-pairs',
  'instruction',
  'chain-of-thought',
  'dialogue',
  'paraphrase',
  'classification',
  'preference',
] as const;
const variableNames = ['rounds', 'labels'] as const;

/** The kind of a built-in template and the language of its prompt; undefined for users' own templates. */
function partsOf(id: string): { kind: (typeof kinds)[number]; language: 'en' | 'zh' } | undefined {
  const [, name, language] = /^(.+)-(en|zh)$/.exec(id) ?? [];
  const kind = kinds.find((known) => known === name);
  return kind === undefined ? undefined : { kind, language: language === 'zh' ? 'zh' : 'en' };
}

/** The name of a template: in the user's language if it is built in, else the one its author gave it. */
export function templateNameOf({ id, name }: { id: string; name: string }, t: TFunction): string {
  const parts = partsOf(id);
  return parts === undefined
    ? name
    : t(`synthesis.builtIn.ofLanguage.${parts.language}`, { name: t(`synthesis.builtIn.kinds.${parts.kind}.name`) });
}

type Worded = { id: string; name: string; description: string; variables: readonly SynthesisVariable[] };

/** A built-in template with its name, description and variables translated; its prompt keeps its own language. */
export function localizeInstruction<T extends Worded>(template: T, t: TFunction): T {
  const parts = partsOf(template.id);
  if (parts === undefined) return template;
  const variables = template.variables.map((variable) => {
    const known = variableNames.find((name) => name === variable.name);
    return known === undefined ? variable : { ...variable, description: t(`synthesis.builtIn.variables.${known}`) };
  });
  return {
    ...template,
    name: templateNameOf(template, t),
    description: t(`synthesis.builtIn.kinds.${parts.kind}.description`),
    variables,
  };
}
