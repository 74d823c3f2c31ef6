import { createTheme, type MantineColorsTuple } from '@mantine/core';

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

/** One accent, small radii, a 4/8 px grid, 14 px text. */
export const theme = createTheme({
  primaryColor: 'soil',
  colors: { soil },
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'sm',
  autoContrast: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.84375rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Table: { defaultProps: { verticalSpacing: 6, fz: 'sm' } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.5 } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-end' } },
  },
});
