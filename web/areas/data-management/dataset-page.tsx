import { useTranslation } from 'react-i18next';
import { Page } from '../../ui/page.tsx';

export function DatasetPage() {
  const { t } = useTranslation();
  return <Page title={t('datasets.title')}>{null}</Page>;
}
