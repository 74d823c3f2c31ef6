import { useTranslation } from 'react-i18next';
import { Page } from '../../ui/page.tsx';

export function SettingsPage() {
  const { t } = useTranslation();
  return <Page title={t('settings.title')}>{null}</Page>;
}
