import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../../../../ui/figures.tsx';
import { formatCount } from '../../../../ui/format.ts';

/** Rendering a text of a million characters blocks the tab for minutes. */
const charactersAtOnce = 20_000;

/** A text as it is; a long one in parts that are shown on demand. */
export function LongText({ text }: { text: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const [shown, setShown] = useState(charactersAtOnce);
  const left = text.length - shown;
  if (left <= 0) return text;
  return (
    <>
      {text.slice(0, shown).toWellFormed()}
      <div>
        <Button size="compact-xs" variant="default" onClick={() => setShown(shown + charactersAtOnce)}>
          {t('viewer.rows.moreCharacters', { count: left, shown: formatCount(left, locale) })}
        </Button>
      </div>
    </>
  );
}
