import { ActionIcon, ScrollArea, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import {
  IconChevronDown,
  IconChevronRight,
  IconHelp,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
} from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { addressOf } from '../api/path-prefix.ts';
import { useLocale } from '../ui/figures.tsx';
import { formatCount } from '../ui/format.ts';
import { placeGroups, useAreas, type Place, type PlaceCount } from './area.ts';

export const navigationWidth = { open: 232, folded: 56 };

/** Whether the navigation shows icons only; stored in the browser. */
export function useFoldedNavigation(): readonly [isFolded: boolean, change: (isFolded: boolean) => void] {
  const [isFolded, change] = useLocalStorage({ key: 'tilth-navigation-folded', defaultValue: false });
  return [isFolded, change];
}

type Props = {
  isFolded: boolean;
  onFold: (isFolded: boolean) => void;
  /** Called when an item is chosen, so that a narrow window hides the navigation. */
  onNavigate: () => void;
};

/** The navigation items of all areas by group. */
export function Navigation({ isFolded, onFold, onNavigate }: Props) {
  const { t } = useTranslation();
  const places = useAreas().flatMap(({ navigation = [] }) => navigation);
  const open = useOpenPlace(places);
  const [closed, setClosed] = useLocalStorage<string[]>({ key: 'tilth-navigation-closed', defaultValue: [] });
  const FoldIcon = isFolded ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  const foldLabel = isFolded ? t('shell.unfold') : t('shell.fold');
  return (
    <div className="navigation" data-folded={isFolded || undefined}>
      <ScrollArea className="navigation-places" type="auto" scrollbarSize={6}>
        {placeGroups.map((group) => {
          const of = places.filter((place) => place.group === group);
          if (of.length === 0) return null;
          const hasHeading = group !== 'top' && group !== 'below' && !isFolded;
          const isClosed = hasHeading && closed.includes(group);
          const Chevron = isClosed ? IconChevronRight : IconChevronDown;
          return (
            <section key={group} aria-label={t(`shell.groups.${group}`)} className="navigation-group">
              {hasHeading && (
                <UnstyledButton
                  className="navigation-heading"
                  aria-expanded={!isClosed}
                  onClick={() => setClosed(isClosed ? closed.filter((each) => each !== group) : [...closed, group])}
                >
                  {t(`shell.groups.${group}`)}
                  <Chevron size={13} aria-hidden />
                </UnstyledButton>
              )}
              {!isClosed &&
                of.map((place) => (
                  <PlaceLink
                    key={place.to}
                    place={place}
                    isOpen={place === open}
                    isFolded={isFolded}
                    onNavigate={onNavigate}
                  />
                ))}
              {group === 'below' && (
                <Hint label={t('shell.places.help')} isFolded={isFolded}>
                  <a href={addressOf('/docs')} className="navigation-place" aria-label={t('shell.places.help')}>
                    <IconHelp size={18} aria-hidden />
                    {!isFolded && <span className="navigation-label">{t('shell.places.help')}</span>}
                  </a>
                </Hint>
              )}
            </section>
          );
        })}
      </ScrollArea>
      <Tooltip label={foldLabel} position="right">
        <ActionIcon
          variant="subtle"
          color="gray"
          visibleFrom="sm"
          aria-label={foldLabel}
          className="navigation-fold"
          onClick={() => onFold(!isFolded)}
        >
          <FoldIcon size={18} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

const noCount = (): undefined => undefined;

function PlaceLink(props: { place: Place; isOpen: boolean; isFolded: boolean; onNavigate: () => void }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { place, isOpen, isFolded, onNavigate } = props;
  // oxlint-disable-next-line react/hooks -- a place is the same at every render of its link, and so is its hook
  const count = (place.useCount ?? noCount)();
  const label = place.label(t);
  const Icon = place.icon;
  return (
    <Hint label={label} isFolded={isFolded}>
      <Link
        to={place.to}
        className="navigation-place"
        data-open={isOpen || undefined}
        aria-current={isOpen ? 'page' : undefined}
        aria-label={isFolded ? label : undefined}
        activeProps={{}}
        onClick={onNavigate}
      >
        <Icon size={18} />
        {!isFolded && <span className="navigation-label">{label}</span>}
        {!isFolded && isShown(count) && (
          <Text
            span
            size="xs"
            className="navigation-count figure"
            data-running={count.isRunning || undefined}
            title={count.isRunning === true ? t('shell.running', { count: count.count }) : undefined}
          >
            {formatCount(count.count, locale)}
          </Text>
        )}
        {isFolded && isShown(count) && count.isRunning === true && <span className="navigation-dot" aria-hidden />}
      </Link>
    </Hint>
  );
}

function isShown(count: PlaceCount | undefined): count is PlaceCount {
  return count !== undefined && !(count.isRunning === true && count.count === 0);
}

function Hint({ label, isFolded, children }: { label: string; isFolded: boolean; children: React.ReactElement }) {
  return (
    <Tooltip label={label} position="right" disabled={!isFolded}>
      {children}
    </Tooltip>
  );
}

/** The navigation item of the page: the one at the nearest ancestor of the address. */
function useOpenPlace(places: readonly Place[]): Place | undefined {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return places
    .filter(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`)))
    .reduce<Place | undefined>((most, place) => (place.to.length > (most?.to.length ?? 0) ? place : most), undefined);
}
