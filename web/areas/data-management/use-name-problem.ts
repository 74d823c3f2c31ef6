import { useTranslation } from 'react-i18next';

/** Validates the name of a dataset in a form; returns the problem in words, if any. */
export function useNameProblem(): (values: { name: string }) => string | undefined {
  const { t } = useTranslation();
  return ({ name }) => {
    if (name.trim() === '') return t('datasets.form.nameRequired');
    return [...name.trim()].length > 100 ? t('datasets.form.nameTooLong') : undefined;
  };
}
