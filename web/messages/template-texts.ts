import i18next from 'i18next';

/** The namespace of translations of built-in templates' texts, which the service provides in English. */
export const templateTextsNamespace = 'templateTexts';

/** A template in the given language if there are texts for it, else as it was written. */
export function localizeTemplate<T extends { id: string; builtIn: boolean }>(template: T, language: string): T {
  const text = template.builtIn ? i18next.getResource(language, templateTextsNamespace, template.id) : undefined;
  return { ...template, ...(text as Partial<T> | undefined) };
}
