import { Radio, Text } from '@mantine/core';
import type { AvailableNumber } from '@parley/sdk';
import { formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { PhoneNumberText } from '../../phone/PhoneNumberText.tsx';
import { counted } from '../../ui/numbers.ts';
import classes from './Numbers.module.css';
import { numberTypeLabels } from './numberTypeLabels.ts';

interface Props {
  numbers: AvailableNumber[];
  /** Whether they are being read again. */
  isRefreshing: boolean;
  value: string;
  onPick: (number: AvailableNumber) => void;
}

/** The matching numbers, each with its price. */
export function AvailableNumbers({ numbers, isRefreshing, value, onPick }: Props) {
  if (numbers.length === 0) {
    return (
      <Text c="dimmed" data-testid="no-offers">
        No number matches. Remove the area code or choose another type.
      </Text>
    );
  }
  return (
    <Radio.Group
      label="Available numbers"
      value={value}
      onChange={(chosen) => {
        const number = numbers.find(({ phoneNumber }) => phoneNumber === chosen);
        if (number) onPick(number);
      }}
    >
      <div className={classes['offers']} aria-busy={isRefreshing}>
        {numbers.map(({ phoneNumber, region, type, monthlyCredits }) => (
          <label key={phoneNumber} className={classes['offer']} data-picked={phoneNumber === value}>
            <Radio value={phoneNumber} aria-label={formatPhoneNumber(phoneNumber)} data-testid="offer" />
            <PhoneNumberText value={phoneNumber} />
            <Text size="sm" c="dimmed" span className={classes['offerWhere'] ?? ''}>
              {region ?? numberTypeLabels[type]}
            </Text>
            <Text size="sm" span className={classes['offerPrice'] ?? ''}>
              {counted(monthlyCredits, 'credit')}
            </Text>
          </label>
        ))}
      </div>
    </Radio.Group>
  );
}
