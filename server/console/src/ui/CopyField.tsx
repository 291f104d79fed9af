import { Box, Button, Group, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useId, useRef } from 'react';
import classes from './CopyField.module.css';

interface Props {
  label: string;
  value: string;
  description?: string;
  autoFocus?: boolean;
  testId?: string;
}

/** A value with a button to copy it. The button also selects the value, so that it can be copied by keyboard on pages without https. */
export function CopyField({ label, value, description, autoFocus = false, testId }: Props) {
  const clipboard = useClipboard({ timeout: 2_000 });
  const text = useRef<HTMLElement>(null);
  const id = useId();
  const copy = () => {
    if (text.current) getSelection()?.selectAllChildren(text.current);
    clipboard.copy(value);
  };
  return (
    <div role="group" aria-labelledby={id}>
      <Group justify="space-between" wrap="nowrap" gap="sm" mb={6}>
        <Box miw={0}>
          <Text size="sm" fw={600} id={id}>
            {label}
          </Text>
          {description && (
            <Text size="xs" c="dimmed">
              {description}
            </Text>
          )}
        </Box>
        <Button
          variant="light"
          size="compact-md"
          fz="sm"
          flex="none"
          w="6.25rem"
          leftSection={clipboard.copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          onClick={copy}
          autoFocus={autoFocus}
          data-testid={testId && `${testId}-copy`}
          aria-label={`${clipboard.copied ? 'Copied' : 'Copy'}: ${label}`}
        >
          {clipboard.copied ? 'Copied' : 'Copy'}
        </Button>
      </Group>
      <code ref={text} className={classes['value']} data-testid={testId}>
        {value}
      </code>
      <Text size="sm" role="status" c="var(--mantine-color-error)">
        {clipboard.error && 'The browser could not copy the text. It is selected: press Ctrl+C (⌘C).'}
      </Text>
    </div>
  );
}
