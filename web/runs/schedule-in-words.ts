import cronstrue from 'cronstrue';
import 'cronstrue/locales/zh_CN';
import { useTranslation } from 'react-i18next';

/** Describes when a five-field cron expression fires, such as `At 03:00`; an invalid expression is returned unchanged. */
export function useScheduleInWords(): (cron: string) => string {
  const { i18n } = useTranslation();
  return (cron) => scheduleInWords(cron, i18n.language);
}

export function scheduleInWords(cron: string, language: string): string {
  try {
    return cronstrue.toString(cron, {
      locale: language.startsWith('zh') ? 'zh_CN' : 'en',
      use24HourTimeFormat: true,
      verbose: true,
      throwExceptionOnParseError: true,
    });
  } catch {
    return cron;
  }
}
