import { useTranslation } from 'react-i18next';

/** What is wrong with the name of a dataset in a form. */
export function useNameProblem(): (values: { name: string }) => string | undefined {
  const { t } = useTranslation();
  return ({ name }) => {
    if (name.trim() === '') return t('datasets.form.nameRequired');
    return [...name.trim()].length > 100 ? t('datasets.form.nameTooLong') : undefined;
  };
}
