import { ThemeIcon } from '@mantine/core';
import { IconPuzzle } from '@tabler/icons-react';

/** The PNG icon of a package, or the default icon. */
export function OperatorIcon({ icon, size = 40 }: { icon: string | null; size?: number }) {
  if (icon !== null) return <img src={icon} alt="" width={size} height={size} className="operator-icon" />;
  return (
    <ThemeIcon size={size} radius="md" variant="light" aria-hidden>
      <IconPuzzle size={size * 0.6} />
    </ThemeIcon>
  );
}
