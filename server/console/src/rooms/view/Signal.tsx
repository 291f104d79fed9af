import { IconAntennaBars2, IconAntennaBars3, IconAntennaBars5 } from '@tabler/icons-react';
import classes from './InRoom.module.css';

/** A participant's connection quality; hidden until it is known. */
export function Signal({ score }: { score: number | undefined }) {
  if (score === undefined) return null;
  const { label, state, icon: Bars } = inBars(score);
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
  if (score >= 8) return { label: 'Good connection', state: 'good', icon: IconAntennaBars5 };
  if (score >= 5) return { label: 'Weak connection', state: 'weak', icon: IconAntennaBars3 };
  return { label: 'Poor connection', state: 'bad', icon: IconAntennaBars2 };
}
