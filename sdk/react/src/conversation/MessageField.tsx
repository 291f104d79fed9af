import { useImperativeHandle, useRef, type ClipboardEvent, type KeyboardEvent, type Ref } from 'react';
import { useBrowserLayoutEffect } from '../core/useBrowserLayoutEffect.ts';
import { TextArea } from '../ui/Fields.tsx';
import { isComposing } from '../ui/isComposing.ts';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Conversation.module.css';

interface Props {
  /** The name of the field, for screen readers. @default 'Message' */
  label?: string;
  /** @default the label */
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
  /** The maximum length, in characters. */
  longest: number;
  /** Whether Enter sends the message. Otherwise, and on touch screens, only Ctrl+Enter (⌘Enter) does. */
  isSentByEnter?: boolean;
  autoFocus?: boolean;
  /** Gets the text field, for a component that focuses it. */
  field?: Ref<HTMLTextAreaElement>;
  onPaste?: (event: ClipboardEvent) => void;
  /** Called with other keys, for example Escape. */
  onKeyDown?: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  testId: string;
}

/** Whether the device probably has a real keyboard. On a touch screen's keyboard, Enter inserts a new line. */
const hasKeyboard = () => matchMedia('(hover: hover)').matches;

/** The text of a message: a field that grows with it and submits its form by key. */
export function MessageField(props: Props) {
  const words = useWords().conversation;
  const { label = words.message, placeholder = label, value, onChange, longest, testId, ...rest } = props;
  const { isSentByEnter = false, onKeyDown, field, ...handled } = rest;
  const area = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(field, () => area.current as HTMLTextAreaElement);
  // For browsers without the CSS property field-sizing.
  useBrowserLayoutEffect(() => {
    const element = area.current;
    if (!element || CSS.supports('field-sizing', 'content')) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [value]);
  const sendByKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, shiftKey, ctrlKey, metaKey, currentTarget } = event;
    const isSend = key === 'Enter' && !shiftKey && (ctrlKey || metaKey || (isSentByEnter && hasKeyboard()));
    if (!isSend) return onKeyDown?.(event);
    if (isComposing(event)) return;
    event.preventDefault();
    currentTarget.form?.requestSubmit();
  };
  return (
    <TextArea
      ref={area}
      {...handled}
      label={label}
      isLabelHidden
      placeholder={placeholder}
      className={classes['field']}
      value={value}
      maxLength={longest}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onKeyDown={sendByKey}
      data-testid={testId}
    />
  );
}
