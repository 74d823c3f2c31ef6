import { SegmentedControl } from '@mantine/core';
import { useState, type ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { ProfilePanel } from '../profile/profile-panel.tsx';
import { PreviewPanel } from './preview-panel.tsx';

type Props = {
  preview: ComponentProps<typeof PreviewPanel>;
  profile: ComponentProps<typeof ProfilePanel>;
};

/** What the steps do to the first samples, or what the source is like. */
export function TrialPanel({ preview, profile }: Props) {
  const { t } = useTranslation();
  const [view, setView] = useState<'preview' | 'profile'>('preview');
  return (
    <section className="panel builder-panel builder-preview" aria-label={t('cleaning.preview.title')}>
      <SegmentedControl
        size="xs"
        mb={6}
        aria-label={t('cleaning.profile.view')}
        value={view}
        onChange={(value) => setView(value === 'profile' ? 'profile' : 'preview')}
        data={[
          { value: 'preview', label: t('cleaning.preview.title') },
          { value: 'profile', label: t('cleaning.profile.title') },
        ]}
      />
      {view === 'profile' ? <ProfilePanel {...profile} /> : <PreviewPanel {...preview} />}
    </section>
  );
}
