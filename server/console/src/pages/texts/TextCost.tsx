import { Text } from '@mantine/core';
import { segmentsOf, type TextRate } from '@parley/sdk';
import { Link } from 'wouter';
import { nameOfCountry } from '../../phone/phoneNumbers.ts';
import { useHasCredits } from '../../phone/useHasCredits.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { counted, inDigits } from '../../ui/numbers.ts';
import classes from '../../conversation/Conversation.module.css';

/** What the text is on the air, counted as the server counts it, and what it costs there. */
export function TextCost({ text, rate }: { text: string; rate: TextRate | null }) {
  const { account } = useSignedIn();
  const { value } = useLoaded(account.credits);
  const { segments, encoding } = segmentsOf(text);
  const credits = rate ? rate.creditsPerSegment * segments : null;
  const isCovered = useHasCredits(credits ?? 0);
  if (rate?.supported === false) {
    return (
      <Text size="sm" c="var(--mantine-color-error)" role="status" data-testid="no-destination">
        {rate.country
          ? `This server does not send texts to ${nameOfCountry(rate.country)}. Its operator can allow it (SMS_COUNTRIES).`
          : 'No country uses such numbers. Check the number.'}
      </Text>
    );
  }
  const odd = encoding === 'UCS-2' ? firstOdd(text) : null;
  return (
    <div
      className={classes['cost']}
      data-testid="text-cost"
      data-segments={segments}
      data-encoding={encoding}
      data-credits={credits ?? ''}
    >
      <span>
        {inDigits(text.length)} / 1,600 · {counted(segments, 'segment')} ·{' '}
        {odd ? (
          <span
            title={`“${odd}” is not in the standard SMS alphabet, so a segment holds 70 characters instead of 160.`}
          >
            {encoding} for “{odd}”
          </span>
        ) : (
          encoding
        )}
      </span>
      {credits !== null && (
        <span>
          {counted(credits, 'credit')}
          {value && !isCovered && (
            <>
              , you have {inDigits(value.credits)}: <Link href="/billing">add credits</Link>
            </>
          )}
        </span>
      )}
    </div>
  );
}

/** The sign that makes all of the text take more room. */
const firstOdd = (text: string): string | null =>
  [...text].find((sign) => segmentsOf(sign).encoding === 'UCS-2') ?? null;
