import type { TFunction } from 'i18next';
import { createContext, useContext, type ComponentType, type ReactNode } from 'react';

/** The parts of the main navigation, in its order; `below` stands at its end. */
export const placeGroups = ['top', 'data', 'prepare', 'use', 'build', 'below'] as const;

/** What stands beside a place of the navigation. One that counts what is going on shows nothing at 0. */
export type PlaceCount = { count: number; isRunning?: boolean };

/** A page of the main navigation; search finds it by its label, too. */
export type Place = {
  to: string;
  label: (t: TFunction) => string;
  icon: ComponentType<{ size?: number }>;
  group: (typeof placeGroups)[number];
  /** The letter that leads there after `g`. */
  key: string;
  /** A hook. */
  useCount?: () => PlaceCount | undefined;
};

/** Something that can be done from anywhere, found by search. */
export type Action = { id: string; label: string; icon: ComponentType<{ size?: number }>; run: () => void };

/** What an area makes of a dataset, and the page on which that begins. */
export type DatasetUse = {
  label: (t: TFunction) => string;
  icon: ComponentType<{ size?: number }>;
  to: (datasetId: string) => string;
};

/** Where the runs of an area are shown: at `path/TASK/runs/RUN`. `prefix` is that of its URLs in the API. */
export type TaskPages = { prefix: string; path: string; label: (t: TFunction) => string };

/** A kind of thing that search finds by its name, and how it asks the service for it. */
export type SearchSource = {
  /** Unique among all sources; part of the cache's keys. */
  name: string;
  label: (t: TFunction) => string;
  icon: ComponentType<{ size?: number }>;
  find(keyword: string, size: number, areas: readonly Area[]): Promise<readonly Found[]>;
};

/** `to` is the path of the page that shows it. */
export type Found = { id: string; label: string; description?: string | undefined; to: string };

/** What is going on in an area, as rows of the list that every page can open. */
export type Running = { count: number; rows: readonly ReactNode[] };

/** What the shell shows of an area: it knows no more of one than this. */
export type Area = {
  navigation?: readonly Place[];
  search?: readonly SearchSource[];
  /** A hook. */
  useRunning?: () => Running;
  /** A hook: what the one signed in may do. */
  useActions?: () => readonly Action[];
  tasks?: TaskPages;
  uses?: readonly DatasetUse[];
  /** Stands over every page. */
  Overlay?: ComponentType;
};

const Areas = createContext<readonly Area[]>([]);

export const AreasProvider = Areas.Provider;

/** The areas of the application, in the order of the navigation. The same at every call. */
export function useAreas(): readonly Area[] {
  return useContext(Areas);
}
