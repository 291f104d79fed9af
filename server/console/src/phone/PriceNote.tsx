import { Text } from '@mantine/core';
import { Link } from 'wouter';
import { useLoaded } from '../data/useLoaded.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { counted, inDigits, inDollars } from '../ui/numbers.ts';
import classes from './Phone.module.css';

interface Props {
  credits: number;
  /** A period shown after the price, for example "a month". */
  per?: string;
}

/** The price of a purchase and the balance after it. */
export function PriceNote({ credits, per }: Props) {
  const { value } = useLoaded(useSignedIn().queries.credits);
  const left = value && value.credits - credits;
  return (
    <div
      className={classes['price']}
      data-testid="price"
      data-credits={credits}
      data-covered={left === null || left >= 0}
    >
      <Text fw={600}>
        {counted(credits, 'credit')} {per}
        {value && (
          <Text span c="dimmed" fw={400}>
            {' '}
            ({inDollars(credits, value.creditValue)})
          </Text>
        )}
      </Text>
      {value && left !== null && (
        <Text size="sm" c={left < 0 ? 'var(--mantine-color-error)' : 'dimmed'}>
          You have {inDigits(value.credits)}
          {left >= 0 ? `; ${inDigits(left)} left after this.` : `, ${inDigits(-left)} too few. `}
          {left < 0 && <Link href="/billing">Add credits</Link>}
        </Text>
      )}
    </div>
  );
}
