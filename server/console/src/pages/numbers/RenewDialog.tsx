import { NativeSelect, Text } from '@mantine/core';
import type { NumberRenewal, PhoneNumber } from '@parley/sdk';
import { useState } from 'react';
import { useSpend } from '../../data/useSpend.ts';
import { PriceNote } from '../../phone/PriceNote.tsx';
import { useHasCredits } from '../../phone/useHasCredits.ts';
import { formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogForm } from '../../ui/DialogForm.tsx';
import { counted, onDay } from '../../ui/numbers.ts';

const choices = Array.from({ length: 12 }, (_, index) => ({
  value: `${index + 1}`,
  label: counted(index + 1, 'month'),
}));

/** Renews a number for a chosen number of months, beginning when the paid time ends. */
export function RenewDialog({ number, onClose }: { number: PhoneNumber; onClose: () => void }) {
  const { client } = useSignedIn();
  const [months, setMonths] = useState('1');
  const { run, isRunning, problem } = useSpend(
    (options, renewal: NumberRenewal) => client.numbers.renew(renewal, options),
    'numbers',
  );
  const credits = Number(months) * number.monthlyCredits;
  const isCovered = useHasCredits(credits);
  const renew = async () => {
    if (await run({ numberId: number.id, months: Number(months) })) onClose();
  };
  return (
    <Dialog title={`Renew ${formatPhoneNumber(number.phoneNumber)}`} onClose={onClose} testId="renew-dialog">
      <DialogForm
        onSubmit={renew}
        onCancel={onClose}
        label="Renew"
        isRunning={isRunning}
        problem={problem}
        canSubmit={isCovered}
        testId="renew-confirm"
      >
        <Text>
          {number.status === 'expired'
            ? 'This number has expired. It works again as soon as you renew it.'
            : `This number is paid until ${onDay(number.expiresAt)}. The new time is added after that.`}
        </Text>
        <NativeSelect
          label="Duration"
          data={choices}
          value={months}
          onChange={(event) => setMonths(event.currentTarget.value)}
          data-autofocus
          data-testid="renew-months"
        />
        <PriceNote credits={credits} />
      </DialogForm>
    </Dialog>
  );
}
