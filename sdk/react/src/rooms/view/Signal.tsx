import { IconAntennaBars2, IconAntennaBars3, IconAntennaBars5 } from '@tabler/icons-react';
import { useWords } from '../../words/WordsContext.tsx';
import classes from './InRoom.module.css';

/** Below this score, of 10, people notice that a connection is bad. */
export const poorBelow = 5;

/** A participant's connection quality; hidden until it is known. */
export function Signal({ score }: { score: number | undefined }) {
  const words = useWords().rooms;
  if (score === undefined) return null;
  const { state, icon: Bars } = inBars(score);
  const label = words[`${state}Connection`];
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
