import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const soil: MantineColorsTuple = [
  '#edf8f1',
  '#d8efe0',
  '#b0dfc1',
  '#84cea0',
  '#5fbf84',
  '#45b271',
  '#2f8f57',
  '#26794a',
  '#1f663e',
  '#145031',
];

/** Surfaces differ from the page by one step of lightness; so do texts. */
const dark: MantineColorsTuple = [
  '#dde2df',
  '#bac1bd',
  '#929b96',
  '#626b66',
  '#343b37',
  '#242a27',
  '#181d1a',
  '#0f1311',
  '#0b0e0c',
  '#070908',
];

/** Inter is bundled with the application; Chinese uses the fonts of the user's system. */
const chineseFonts =
  '"PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Micro Hei"';

/** One accent, small radii, a 4/8 px grid, 14 px text. */
export const theme = createTheme({
  primaryColor: 'soil',
  colors: { soil, dark },
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'sm',
  autoContrast: true,
  fontFamily: `"Inter Variable", ${chineseFonts}, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif`,
  fontFamilyMonospace: `ui-monospace, SFMono-Regular, "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono", monospace, ${chineseFonts}`,
  fontSizes: { xs: '0.75rem', sm: '0.84375rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Table: { defaultProps: { verticalSpacing: 6, fz: 'sm' } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.5 } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-end' } },
  },
});

const named = ['red', 'orange', 'green', 'blue', 'soil', 'gray'] as const;

/** Colours of muted text and tinted labels that stay readable: contrast 4.5 to 1 against the background. */
export const readableColors: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#565d66',
    '--mantine-color-placeholder': '#6a717a',
    '--mantine-color-anchor': colors.soil?.[8] ?? '',
    ...textColors((name) => darkest[name]),
  },
  dark: {
    '--mantine-color-dimmed': '#a9b0b8',
    '--mantine-color-placeholder': '#8f969e',
    ...textColors((name) => colors[name]?.[2] ?? ''),
    // Mantine's own tints are as prominent as buttons on such dark surfaces.
    ...Object.fromEntries(
      named.flatMap((name) => [
        [`--mantine-color-${name}-light`, tint(colors[name]?.[6] ?? '', 0.17)],
        [`--mantine-color-${name}-light-hover`, tint(colors[name]?.[6] ?? '', 0.25)],
      ]),
    ),
  },
});

const darkest: Readonly<Record<(typeof named)[number], string>> = {
  red: '#a61e1e',
  orange: '#8f3c00',
  green: '#1b5e29',
  blue: '#114f8f',
  soil: soil[9],
  gray: '#3f464d',
};

/** A colour blended into a dark surface. */
function tint(color: string, share: number): string {
  const parts = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const surface = parts(dark[6]);
  const mixed = parts(color).map((part, at) => Math.round(share * part + (1 - share) * (surface[at] ?? 0)));
  return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function textColors(colorOf: (name: (typeof named)[number]) => string): Record<string, string> {
  return Object.fromEntries(
    named.flatMap((name) => [
      [`--mantine-color-${name}-light-color`, colorOf(name)],
      [`--mantine-color-${name}-text`, colorOf(name)],
    ]),
  );
}
