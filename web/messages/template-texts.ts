import i18next from 'i18next';

/** The namespace of texts that replace those of built-in templates; the service provides them in English. */
export const templateTextsNamespace = 'templateTexts';

/** A template in a language with texts for it, else as it was written. */
export function localizeTemplate<T extends { id: string; builtIn: boolean }>(template: T, language: string): T {
  const text = template.builtIn ? i18next.getResource(language, templateTextsNamespace, template.id) : undefined;
  return { ...template, ...(text as Partial<T> | undefined) };
}
