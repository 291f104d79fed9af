import { Textarea, type TextareaProps } from '@mantine/core';
import type { KeyboardEvent } from 'react';

interface Props extends Pick<TextareaProps, 'autoFocus' | 'onPaste'> {
  label?: string;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
  /** The maximum length, in characters. */
  longest: number;
  /** Whether Enter sends the message. Otherwise, and on touch screens, only Ctrl+Enter (⌘Enter) does. */
  isSentByEnter?: boolean;
  testId: string;
}

/** Whether the device probably has a real keyboard. On a touch screen's keyboard, Enter inserts a new line. */
const hasKeyboard = () => matchMedia('(hover: hover)').matches;

/** The text of a message: a field that grows with it and submits its form by key. */
export function MessageField(props: Props) {
  const { label = 'Message', placeholder = 'Message', onChange, longest, testId, ...rest } = props;
  const { isSentByEnter = false, ...field } = rest;
  const sendByKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, shiftKey, ctrlKey, metaKey, nativeEvent, currentTarget } = event;
    const isSend = key === 'Enter' && !shiftKey && (ctrlKey || metaKey || (isSentByEnter && hasKeyboard()));
    // While an input method composes a character, Enter confirms it.
    if (!isSend || nativeEvent.isComposing) return;
    event.preventDefault();
    currentTarget.form?.requestSubmit();
  };
  return (
    <Textarea
      {...field}
      aria-label={label}
      placeholder={placeholder}
      autosize
      minRows={1}
      maxRows={6}
      maxLength={longest}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onKeyDown={sendByKey}
      flex={1}
      data-testid={testId}
    />
  );
}
