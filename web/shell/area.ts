import type { TFunction } from 'i18next';
import type { ListedRun } from '../api/schema.ts';
import { createContext, useContext, type ComponentType, type ReactNode } from 'react';

/** The groups of the main navigation, in order; `below` is at the end. */
export const placeGroups = ['top', 'data', 'prepare', 'use', 'build', 'below'] as const;

/** The badge of a navigation item. A count of activities is hidden at 0. */
export type PlaceCount = { count: number; isRunning?: boolean };

/** A page of the main navigation; search also finds it by its label. */
export type Place = {
  to: string;
  label: (t: TFunction) => string;
  icon: ComponentType<{ size?: number }>;
  group: (typeof placeGroups)[number];
  /** The key that opens it after `g`. */
  key: string;
  /** A React hook. */
  useCount?: () => PlaceCount | undefined;
};

/** An action available everywhere, found by search. */
export type Action = { id: string; label: string; icon: ComponentType<{ size?: number }>; run: () => void };

/** An area's action on a dataset, and the page where it starts. */
export type DatasetUse = {
  label: (t: TFunction) => string;
  icon: ComponentType<{ size?: number }>;
  to: (datasetId: string) => string;
};

/** Where the runs of an area are shown: at `path/TASK/runs/RUN`. `prefix` is the area's in API paths. */
export type TaskPages = {
  prefix: string;
  path: string;
  label: (t: TFunction) => string;
  /** For runs without pages of their own: the page of what the run is about. */
  addressOf?: (run: Pick<ListedRun, 'area' | 'taskId' | 'within'>) => string;
  /** For runs that belong to no task; they are shown at `path/RUN`. */
  withoutTask?: { prefix: string; path: string };
};

/** A kind of object that search finds by name, and the query for it. */
export type SearchSource = {
  /** Unique among all sources; part of the query cache keys. */
  name: string;
  label: (t: TFunction) => string;
  icon: ComponentType<{ size?: number }>;
  find(keyword: string, size: number, within: { areas: readonly Area[]; t: TFunction }): Promise<readonly Found[]>;
};

/** `to` is the path of the page that shows it. */
export type Found = { id: string; label: string; description?: string | undefined; to: string };

/** Current activity of an area, as rows of the list available on every page. */
export type Running = { count: number; rows: readonly ReactNode[] };

/** What happens to files dropped on the open page. */
export type Drop = {
  icon: ComponentType<{ size?: number }>;
  label: string;
  lead: string;
  take: (files: readonly { path: string; file: File }[]) => Promise<void>;
};

/** Everything that an area contributes to the shell. */
export type Area = {
  /** The place among the areas, in the navigation and in search: the lowest comes first. */
  order: number;
  navigation?: readonly Place[];
  search?: readonly SearchSource[];
  /** A React hook. */
  useRunning?: () => Running;
  /** A React hook; returns the actions of the signed-in user. */
  useActions?: () => readonly Action[];
  /** A React hook; returns undefined on pages where the area accepts no files. */
  useDrop?: () => Drop | undefined;
  tasks?: TaskPages;
  uses?: readonly DatasetUse[];
  /** Rendered above every page. */
  Overlay?: ComponentType;
};

const Areas = createContext<readonly Area[]>([]);

export const AreasProvider = Areas.Provider;

/** The areas of the application, in the order of the navigation. Every call returns the same list. */
export function useAreas(): readonly Area[] {
  return useContext(Areas);
}
