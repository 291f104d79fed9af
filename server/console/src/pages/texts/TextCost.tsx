import { Text } from '@mantine/core';
import { segmentsOf, type TextRate } from '@parley/sdk';
import { Link } from 'wouter';
import { nameOfCountry } from '../../phone/phoneNumbers.ts';
import { useHasCredits } from '../../phone/useHasCredits.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { counted, inDigits } from '../../ui/numbers.ts';
import classes from '../../conversation/Conversation.module.css';

/** The maximum length of a text, in characters. */
export const longestText = 1_600;

/** Shows the number of segments and the price of a text, computed as on the server. */
export function TextCost({ text, rate }: { text: string; rate: TextRate | null }) {
  const { value } = useLoaded(useSignedIn().queries.credits);
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
  const special = encoding === 'UCS-2' ? firstSpecial(text) : null;
  return (
    <div
      className={classes['cost']}
      data-testid="text-cost"
      data-segments={segments}
      data-encoding={encoding}
      data-credits={credits ?? ''}
    >
      <span>
        {inDigits(text.length)} / {inDigits(longestText)} · {counted(segments, 'segment')} ·{' '}
        {special ? (
          <span
            title={`“${special}” is not in the standard SMS alphabet, so a segment holds 70 characters instead of 160.`}
          >
            {encoding} because of “{special}”
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

/** The first character outside the standard SMS alphabet, which makes the whole text use UCS-2. */
const firstSpecial = (text: string): string | null =>
  [...text].find((character) => segmentsOf(character).encoding === 'UCS-2') ?? null;
