import { atTime } from '../../ui/numbers.ts';
import type { Period } from './joinParts.ts';
import classes from './Quality.module.css';

/** The times at the beginning, in the middle and at the end of a chart. */
export function TimeAxis({ period: { from, to } }: { period: Period }) {
  const middle = new Date((from.getTime() + to.getTime()) / 2);
  return (
    <div className={classes['times']} aria-hidden>
      {[from, middle, to].map((at) => (
        <span key={at.getTime()}>{atTime(at)}</span>
      ))}
    </div>
  );
}
