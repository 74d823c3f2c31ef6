import { ThemeIcon } from '@mantine/core';
import { IconPuzzle } from '@tabler/icons-react';

/** The icon of a package, which is a PNG, or that of all operators. */
export function OperatorIcon({ icon, size = 40 }: { icon: string | null; size?: number }) {
  if (icon !== null) return <img src={icon} alt="" width={size} height={size} className="operator-icon" />;
  return (
    <ThemeIcon size={size} radius="md" variant="light" aria-hidden>
      <IconPuzzle size={size * 0.6} />
    </ThemeIcon>
  );
}
