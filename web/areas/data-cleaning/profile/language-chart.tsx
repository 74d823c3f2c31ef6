import { Group, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Operator, ProfileShare } from '../../../api/schema.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { formatShare } from '../../../ui/format.ts';
import { languageProposalOf, undetermined, type Proposal } from './propose-step.ts';
import { textsOf } from '../../../ui/schema-fields.ts';

const mostShown = 8;

type Props = { languages: readonly ProfileShare[]; operator: Operator; onPropose: (proposal: Proposal) => void };

/** The most common languages; a click proposes a step that keeps the language and the more common ones. */
export function LanguageChart({ languages, operator, onPropose }: Props) {
  const { t } = useTranslation();
  const locale = useLocale();
  const names = new Intl.DisplayNames([locale], { type: 'language' });
  const nameOf = (code: string): string =>
    code === undetermined ? t('common.language.undetermined') : (names.of(code) ?? code);
  const shown = languages.slice(0, mostShown);
  const rest = languages.slice(mostShown).reduce((sum, { share }) => sum + share, 0);
  return (
    <section className="profile-score" aria-label={t('cleaning.profile.languages')}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" fw={600} truncate>
          {t('cleaning.profile.languages')}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {operator.name}
        </Text>
      </Group>
      <ul className="profile-languages">
        {shown.map(({ value, share }, index) => {
          const { proposal, dropped } = languageProposalOf(languages, index, operator);
          const row = <LanguageRow name={nameOf(value)} share={share} />;
          if (value === undetermined) return <li key={value}>{row}</li>;
          const kept = textsOf(proposal.params['languages']).map(nameOf);
          const label = t('cleaning.profile.keepLanguages', {
            languages: new Intl.ListFormat(locale).format(kept),
            share: formatShare(dropped, locale),
          });
          return (
            <li key={value}>
              <Tooltip label={label} multiline maw={280}>
                <UnstyledButton
                  className="profile-language"
                  aria-description={label}
                  onClick={() => onPropose(proposal)}
                >
                  {row}
                </UnstyledButton>
              </Tooltip>
            </li>
          );
        })}
      </ul>
      {rest > 0 && (
        <Text size="xs" c="dimmed">
          {t('cleaning.profile.otherLanguages', {
            count: languages.length - mostShown,
            share: formatShare(rest, locale),
          })}
        </Text>
      )}
    </section>
  );
}

function LanguageRow({ name, share }: { name: string; share: number }) {
  const locale = useLocale();
  return (
    <>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" truncate>
          {name}
        </Text>
        <Text size="xs" c="dimmed" className="figure">
          {formatShare(share, locale)}
        </Text>
      </Group>
      <div className="share-bar" aria-hidden>
        <div style={{ width: `${100 * share}%`, background: 'var(--mantine-primary-color-filled)' }} />
      </div>
    </>
  );
}
