import { IconAntennaBars2, IconAntennaBars3, IconAntennaBars5 } from '@tabler/icons-react';
import { useQuality } from '../roomHooks.ts';
import { useWords } from '../../words/WordsContext.tsx';
import classes from './InRoom.module.css';
import { usePath } from './usePath.ts';

/** Below this score, of 10, people notice that a connection is bad. */
export const poorBelow = 5;

interface Props {
  participantId: string;
  /** Whether it is the user's. Of others, only what they send matters here. */
  isOwn: boolean;
}

/** A participant's connection quality, and how the user's own media reaches the server; hidden until it is known. */
export function Signal({ participantId, isOwn }: Props) {
  const words = useWords().rooms;
  const quality = useQuality(participantId);
  const path = usePath(isOwn ? quality : null);
  if (!quality) return null;
  const { sending, receiving } = quality;
  const score = Math.min(sending ?? 10, isOwn ? (receiving ?? 10) : 10);
  const { state, icon: Bars } = inBars(score);
  const protocol = path?.over.toUpperCase() ?? '';
  const way = path && (path.relayed ? words.relayedOver(protocol) : words.directOver(protocol));
  const label = [words[`${state}Connection`], ...(way ? [way] : [])].join(', ');
  return (
    <span
      className={classes['signal']}
      title={label}
      role="img"
      aria-label={label}
      data-testid="signal"
      data-quality={state}
    >
      <Bars size={16} aria-hidden />
    </span>
  );
}

function inBars(score: number) {
  if (score >= 8) return { state: 'good' as const, icon: IconAntennaBars5 };
  if (score >= poorBelow) return { state: 'weak' as const, icon: IconAntennaBars3 };
  return { state: 'poor' as const, icon: IconAntennaBars2 };
}
