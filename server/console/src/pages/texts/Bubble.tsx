import {
  atClock,
  MessageBubble,
  MessageFailure,
  MessageState,
  MessageText,
  VisuallyHidden,
} from '@parley/react';
import type { TextMessage } from '@parley/sdk';
import { atMoment, counted } from '../../ui/numbers.ts';
import { stateOf } from './stateOf.ts';

/** A text with its delivery state. */
export function Bubble({ message }: { message: TextMessage }) {
  const { direction, message: text, media, status, createdAt, segments, encoding, credits } = message;
  const { label, why } = stateOf(message);
  const details = `${atMoment(createdAt)}, ${counted(segments, 'segment')} (${encoding}), ${counted(credits, 'credit')}`;
  return (
    <MessageBubble direction={direction} status={status} data-testid="message">
      <VisuallyHidden>{direction === 'outbound' ? 'You: ' : 'They: '}</VisuallyHidden>
      {text && <MessageText text={text} testId="message-text" />}
      {media.map((address, index) => (
        <a key={address} href={address} target="_blank" rel="noreferrer">
          Image {index + 1}
        </a>
      ))}
      <MessageState title={details}>
        <time dateTime={createdAt.toISOString()}>{atClock(createdAt)}</time>
        {label && ` · ${label}`}
      </MessageState>
      {why && <MessageFailure>{why}</MessageFailure>}
    </MessageBubble>
  );
}
