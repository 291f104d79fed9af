import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { AvailableNumber, NewNumber, NumberOrder } from '@parley/sdk';
import { useState } from 'react';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSpend } from '../../data/useSpend.ts';
import { CountrySelect } from '../../phone/CountrySelect.tsx';
import phoneClasses from '../../phone/Phone.module.css';
import { PriceNote } from '../../phone/PriceNote.tsx';
import { useHasCredits } from '../../phone/useHasCredits.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { DialogForm } from '../../ui/DialogForm.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { AvailableNumbers } from './AvailableNumbers.tsx';

interface Props {
  onBought: (order: NumberOrder) => void;
  onCancel: () => void;
}

const types = [
  { value: '', label: 'Default' },
  { value: 'local', label: 'Local' },
  { value: 'mobile', label: 'Mobile' },
  { value: 'toll_free', label: 'Toll-free' },
];
const shownAtOnce = 10;

export function BuyNumberForm({ onBought, onCancel }: Props) {
  const { client, queries, openOrders } = useSignedIn();
  const [country, setCountry] = useState('US');
  const [type, setType] = useState('');
  const [areaCode, setAreaCode] = useState('');
  const [autoRenew, setAutoRenew] = useState(true);
  const [picked, setPicked] = useState<AvailableNumber | null>(null);
  const [askedArea] = useDebouncedValue(areaCode, 350);
  const offers = useLoaded(
    queries.availableNumbers({
      country,
      limit: shownAtOnce,
      ...(type && { type: type as AvailableNumber['type'] }),
      ...(askedArea && { areaCode: askedArea }),
    }),
  );
  const { value } = offers;
  const { run, isRunning, problem } = useSpend(async (options, number: NewNumber) => {
    const order = await client.numbers.buy(number, options);
    // Stored at once, because the page may be reloaded while the action still reads the changed data.
    if (order.status === 'pending') openOrders.add(order);
    return order;
  }, 'numbers');
  // The picked number counts only while it is in the list, so that the user sees which number is bought.
  const choice =
    value?.data.find(({ phoneNumber }) => phoneNumber === picked?.phoneNumber) ?? value?.data[0] ?? null;
  const isCovered = useHasCredits(choice?.monthlyCredits ?? 0);
  const buy = async () => {
    if (!choice) return;
    const { phoneNumber, type: itsType } = choice;
    const order = await run({ country: choice.country, type: itsType, phoneNumber, autoRenew });
    if (order) onBought(order);
    else await offers.refresh();
  };
  return (
    <DialogForm
      onSubmit={buy}
      onCancel={onCancel}
      label="Buy number"
      isRunning={isRunning}
      problem={problem}
      canSubmit={choice !== null && isCovered && areaCode === askedArea}
      testId="buy-submit"
    >
      <div className={phoneClasses['fields']}>
        <CountrySelect label="Country" value={country} onChange={setCountry} testId="buy-country" />
        <NativeSelect
          label="Type"
          data={types}
          value={type}
          onChange={(event) => setType(event.currentTarget.value)}
          data-testid="buy-type"
        />
        <TextInput
          label="Area code"
          placeholder="Any"
          inputMode="numeric"
          maxLength={6}
          value={areaCode}
          onChange={(event) => setAreaCode(event.currentTarget.value.replace(/\D/g, ''))}
          onKeyDown={(event) => {
            // Enter ends the input. It must not buy the first number of the area, which nobody has picked.
            if (event.key === 'Enter') event.preventDefault();
          }}
          autoComplete="off"
          data-testid="buy-area"
        />
      </div>
      <LoadedValue of={offers} what="available numbers" rows={5} rowHeight={44}>
        {({ data }) => (
          <AvailableNumbers
            numbers={data}
            isRefreshing={offers.isRefreshing}
            value={choice?.phoneNumber ?? ''}
            onPick={setPicked}
          />
        )}
      </LoadedValue>
      <Checkbox
        label="Renew automatically every month while I have enough credits"
        checked={autoRenew}
        onChange={(event) => setAutoRenew(event.currentTarget.checked)}
        data-testid="buy-auto-renew"
      />
      {choice && <PriceNote credits={choice.monthlyCredits} per="a month" />}
    </DialogForm>
  );
}
