import { useTranslation } from 'react-i18next';
import { Page } from '../../ui/page.tsx';

export function TasksPage() {
  const { t } = useTranslation();
  return <Page title={t('cleaning.title')}>{null}</Page>;
}
