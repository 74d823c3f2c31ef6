import { kindOfType } from './value-kind.ts';

/** A user's arrangement of a table's columns; columns that are not named keep their place and width. */
export type ColumnLayout = {
  order: readonly string[];
  hidden: readonly string[];
  widths: Readonly<Record<string, number>>;
};

export const usualLayout: ColumnLayout = { order: [], hidden: [], widths: {} };

export const widthLimits = { least: 64, most: 1_200 };

type Named = { name: string; type: string };

/** All columns in order, including hidden ones; columns missing from the layout come last. */
export function inOrder<C extends Named>(columns: readonly C[], { order }: ColumnLayout): C[] {
  const place = new Map(order.map((name, index) => [name, index]));
  return columns.toSorted((a, b) => (place.get(a.name) ?? order.length) - (place.get(b.name) ?? order.length));
}

/** The layout after moving a column by a number of places among the shown ones. */
export function moved(layout: ColumnLayout, columns: readonly Named[], name: string, by: number): ColumnLayout {
  const order = inOrder(columns, layout).map((column) => column.name);
  const shown = order.filter((one) => !layout.hidden.includes(one));
  const at = shown.indexOf(name);
  const target = shown[Math.max(0, Math.min(shown.length - 1, at + by))];
  if (at === -1 || target === undefined || target === name) return layout;
  const next = order.filter((one) => one !== name);
  next.splice(next.indexOf(target) + (by > 0 ? 1 : 0), 0, name);
  return { ...layout, order: next };
}

export function resized(layout: ColumnLayout, name: string, width: number | undefined): ColumnLayout {
  const { [name]: _old, ...widths } = layout.widths;
  if (width === undefined) return { ...layout, widths };
  const within = Math.round(Math.max(widthLimits.least, Math.min(widthLimits.most, width)));
  return { ...layout, widths: { ...widths, [name]: within } };
}

export function withHidden(layout: ColumnLayout, name: string, isHidden: boolean): ColumnLayout {
  const hidden = layout.hidden.filter((one) => one !== name);
  return { ...layout, hidden: isHidden ? [...hidden, name] : hidden };
}

/** A width that suits a column's type and the lengths of its first values. */
export function usualWidth({ name, type }: Named, lengths: readonly number[]): number {
  const longest = Math.max(name.length + 4, ...lengths.slice(0, 50), 0);
  const most = kindOfType(type) === 'text' || kindOfType(type) === 'mixed' ? 460 : 300;
  return Math.round(Math.max(110, Math.min(most, 24 + 7.4 * longest)));
}

/** The stored layout; the usual one if the stored text is not valid. */
export function parseLayout(text: string | null): ColumnLayout {
  if (text === null) return usualLayout;
  try {
    const { order, hidden, widths } = JSON.parse(text) as Partial<Record<keyof ColumnLayout, unknown>>;
    return {
      order: Array.isArray(order) ? order.filter((one) => typeof one === 'string') : [],
      hidden: Array.isArray(hidden) ? hidden.filter((one) => typeof one === 'string') : [],
      widths:
        typeof widths === 'object' && widths !== null
          ? Object.fromEntries(
              Object.entries(widths).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
            )
          : {},
    };
  } catch {
    return usualLayout;
  }
}
