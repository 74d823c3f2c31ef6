import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A labelled number. */
export function Stat({ label, children, hint }: { label: string; children: ReactNode; hint?: string }) {
  return (
    <div className="panel" title={hint}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={600} className="figure" component="div">
        {children}
      </Text>
    </div>
  );
}
