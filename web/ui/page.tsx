import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** A page: one title, one sentence, its primary action, then its content. Sets the title of the browser's tab. */
export function Page(props: {
  /** Undefined while it is not loaded. */
  title: string | undefined;
  /** The title of the open tab, which becomes part of the browser's title. */
  section?: string | undefined;
  lead?: ReactNode;
  actions?: ReactNode;
  breadcrumbs?: ReactNode;
  /** One narrow line above the main content. */
  compact?: boolean;
  /** Replaces the title of a compact page, which is then only for screen readers. */
  heading?: ReactNode;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = [props.section, props.title, t('common.product')].filter((part) => part !== undefined).join(' · ');
  }, [props.section, props.title, t]);
  if (props.compact === true)
    return (
      <Stack gap={6} className="compact-page">
        <Group justify="space-between" gap="xs" className="compact-heading">
          <Group gap="xs" className="compact-title">
            {props.breadcrumbs}
            {props.title === undefined ? (
              <Skeleton height={20} width={220} />
            ) : (
              <Title
                order={1}
                size="h4"
                title={props.title}
                className={props.heading === undefined ? 'wraps' : 'sr-only'}
              >
                {props.title}
              </Title>
            )}
            {props.heading}
            <Text component="div" size="xs" c="dimmed" className="compact-lead">
              {props.lead}
            </Text>
          </Group>
          <Group gap={6}>{props.actions}</Group>
        </Group>
        {props.children}
      </Stack>
    );
  return (
    <Stack gap="md">
      {props.breadcrumbs}
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className="page-heading">
          {props.title === undefined ? (
            <Skeleton height={22} width={220} my={5} />
          ) : (
            <Title order={1} size="h3">
              {props.title}
            </Title>
          )}
          {props.lead !== undefined && (
            <Text c="dimmed" size="sm" component="div">
              {props.lead}
            </Text>
          )}
        </div>
        {props.actions !== undefined && <Group gap="xs">{props.actions}</Group>}
      </Group>
      {props.children}
    </Stack>
  );
}
