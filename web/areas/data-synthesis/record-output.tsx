import { Code, Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

type Turn = { role: string; content: string };

/** A record field by field: texts as text, turns as a conversation, an object of texts and numbers by its fields, anything else as JSON. */
export function RecordOutput({ output }: { output: Readonly<Record<string, unknown>> }) {
  return (
    <Stack gap="xs">
      {Object.entries(output).map(([name, value]) => (
        <div key={name}>
          <Text size="xs" c="dimmed">
            {name}
          </Text>
          {typeof value === 'string' ? (
            <div className="record-text">{value}</div>
          ) : isTurns(value) ? (
            <Turns turns={value} />
          ) : isPlain(value) ? (
            <dl className="facts-list record-fields">
              {Object.entries(value).map(([field, inner]) => (
                <Fragment key={field}>
                  <dt>{field}</dt>
                  <dd className="record-text">{String(inner)}</dd>
                </Fragment>
              ))}
            </dl>
          ) : (
            <Code block className="whole-row">
              {JSON.stringify(value, undefined, 2)}
            </Code>
          )}
        </div>
      ))}
    </Stack>
  );
}

function Turns({ turns }: { turns: readonly Turn[] }) {
  const { t } = useTranslation();
  return (
    <ol className="turns">
      {turns.map(({ role, content }, index) => (
        <li key={index} data-role={role}>
          <Text size="xs" c="dimmed">
            {role === 'user' || role === 'assistant' || role === 'system' ? t(`synthesis.roles.${role}`) : role}
          </Text>
          {content}
        </li>
      ))}
    </ol>
  );
}

function isTurns(value: unknown): value is Turn[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (turn: unknown) =>
        typeof turn === 'object' &&
        turn !== null &&
        'role' in turn &&
        typeof turn.role === 'string' &&
        'content' in turn &&
        typeof turn.content === 'string',
    )
  );
}

/** Whether a value is an object of only texts, numbers and booleans. */
function isPlain(value: unknown): value is Record<string, string | number | boolean> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((inner) => ['string', 'number', 'boolean'].includes(typeof inner))
  );
}
