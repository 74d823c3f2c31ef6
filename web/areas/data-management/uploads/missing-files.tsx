import { useTranslation } from 'react-i18next';

const shown = 8;

/** The files to choose again: the first few by name, the rest as a count. */
export function MissingFiles({ paths }: { paths: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <ul className="plain-list">
      {paths.slice(0, shown).map((path) => (
        <li key={path} className="wraps">
          <code>{path}</code>
        </li>
      ))}
      {paths.length > shown && <li>{t('data.andMore', { count: paths.length - shown })}</li>}
    </ul>
  );
}
