import { Text } from '@mantine/core';

/** The parameters of a step as stored, for when the operator that would label them is no longer available. */
export function StoredParams({ params }: { params: Readonly<Record<string, unknown>> }) {
  return (
    <Text size="xs" c="dimmed" className="wraps" data-verbatim>
      {Object.entries(params)
        .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(' · ')}
    </Text>
  );
}
