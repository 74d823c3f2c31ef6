import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

/** A field that searches while the user types, a moment after the last key. */
export function SearchField(props: {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  width?: number;
  size?: 'xs' | 'sm';
}) {
  const [text, setText] = useState(props.value ?? '');
  const sent = useRef(props.value);
  // The address changed by other means (back, a cleared filter): the field follows.
  useEffect(() => {
    if (props.value !== sent.current) setText(props.value ?? '');
    sent.current = props.value;
  }, [props.value]);
  const searchSoon = useDebouncedCallback((value: string) => {
    sent.current = value.trim() || undefined;
    props.onChange(sent.current);
  }, 300);
  return (
    <TextInput
      type="search"
      size={props.size ?? 'sm'}
      aria-label={props.label}
      placeholder={props.label}
      leftSection={<IconSearch size={16} />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        searchSoon(event.currentTarget.value);
      }}
      w={{ base: '100%', xs: props.width ?? 260 }}
    />
  );
}
