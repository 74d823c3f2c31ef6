import { useTranslation } from 'react-i18next';
import { Page } from '../../ui/page.tsx';

export function OperatorsPage() {
  const { t } = useTranslation();
  return <Page title={t('operators.title')}>{null}</Page>;
}
