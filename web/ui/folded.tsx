import { Button, Collapse, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';

/** Rarely needed content, behind a button. */
export function Folded({ label, children }: { label: string; children: ReactNode }) {
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <div>
      <Button size="compact-sm" variant="subtle" px={4} aria-expanded={isOpen} onClick={toggle}>
        {label}
      </Button>
      <Collapse expanded={isOpen}>
        <Stack gap="sm">{children}</Stack>
      </Collapse>
    </div>
  );
}
