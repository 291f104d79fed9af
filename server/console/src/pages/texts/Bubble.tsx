import { VisuallyHidden } from '@mantine/core';
import type { TextMessage } from '@parley/sdk';
import { atMoment, counted } from '../../ui/numbers.ts';
import classes from '../../conversation/Conversation.module.css';
import { stateOf } from './stateOf.ts';

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** A text with its delivery state. */
export function Bubble({ message }: { message: TextMessage }) {
  const { direction, message: text, media, status, createdAt, segments, encoding, credits } = message;
  const { label, why } = stateOf(message);
  const details = `${atMoment(createdAt)}, ${counted(segments, 'segment')} (${encoding}), ${counted(credits, 'credit')}`;
  return (
    <div className={classes['bubble']} data-testid="message" data-direction={direction} data-status={status}>
      <VisuallyHidden component="span">{direction === 'outbound' ? 'You: ' : 'They: '}</VisuallyHidden>
      {text && (
        <p className={classes['text']} data-testid="message-text">
          {text}
        </p>
      )}
      {media.map((address, index) => (
        <a key={address} href={address} target="_blank" rel="noreferrer">
          Image {index + 1}
        </a>
      ))}
      <p className={classes['state']} title={details}>
        <time dateTime={createdAt.toISOString()}>{clock.format(createdAt)}</time>
        {label && ` · ${label}`}
      </p>
      {why && <p className={classes['why']}>{why}</p>}
    </div>
  );
}
