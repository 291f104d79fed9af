import { Button, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import type { EsimCheckout, EsimPackage, EsimPurchase } from '@parley/sdk';
import { useState } from 'react';
import { useSpend } from '../../data/useSpend.ts';
import phoneClasses from '../../phone/Phone.module.css';
import { PriceNote } from '../../phone/PriceNote.tsx';
import { useHasCredits } from '../../phone/useHasCredits.ts';
import { nameOfCountry } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogForm } from '../../ui/DialogForm.tsx';
import { counted } from '../../ui/numbers.ts';
import { EsimCodes } from './EsimCodes.tsx';
import { describeData } from './describePackage.ts';

const most = 50;

interface Props {
  offer: EsimPackage;
  /** Whether the offer is being read again. */
  isRefreshing: boolean;
  onClose: () => void;
  /** Called when the purchase has failed. Reads the offer again. */
  onFailed: () => Promise<unknown>;
}

/** Asks for the quantity and an email address, then shows the codes. */
export function BuyEsimDialog({ offer, isRefreshing, onClose, onFailed }: Props) {
  const { client } = useSignedIn();
  const [quantity, setQuantity] = useState<number | string>(1);
  const [email, setEmail] = useState('');
  const [purchase, setPurchase] = useState<EsimPurchase | null>(null);
  const { run, isRunning, problem } = useSpend(
    (options, order: EsimCheckout) => client.esim.checkout(order, options),
    'esims',
  );
  const count = Number(quantity);
  const isCount = Number.isInteger(count) && count >= 1 && count <= most;
  const credits = offer.credits * (isCount ? count : 1);
  const isCovered = useHasCredits(credits);
  const buy = async () => {
    const to = email.trim();
    const bought = await run({ packageId: offer.id, quantity: count, ...(to && { email: to }) });
    setPurchase(bought);
    if (!bought) await onFailed();
  };
  if (purchase) {
    return (
      <Dialog
        title={purchase.status === 'completed' ? 'Install your eSIM' : 'Order placed'}
        onClose={onClose}
        isWide
        testId="esim-dialog"
      >
        <Stack gap="md" data-testid="esim-bought" data-status={purchase.status}>
          {purchase.status === 'completed' ? (
            <EsimCodes esims={purchase.esims} />
          ) : (
            <Text>
              The provider has not answered yet. The credits are reserved until it does. See the status under
              “Your eSIMs”.
            </Text>
          )}
          <Button onClick={onClose} autoFocus data-testid="esim-done">
            Done
          </Button>
        </Stack>
      </Dialog>
    );
  }
  return (
    <Dialog title={offer.title} onClose={onClose} isWide testId="esim-dialog">
      <DialogForm
        onSubmit={buy}
        onCancel={onClose}
        label={count > 1 && isCount ? `Buy ${count} eSIMs` : 'Buy eSIM'}
        isRunning={isRunning}
        problem={problem}
        canSubmit={isCount && isCovered && offer.available && !isRefreshing}
        testId="esim-submit"
      >
        <Text>
          {describeData(offer)} for {counted(offer.validDays, 'day')}, in{' '}
          {offer.countries.map(nameOfCountry).join(', ')}.
        </Text>
        <div className={phoneClasses['fields']}>
          <NumberInput
            label="Quantity"
            min={1}
            max={most}
            allowDecimal={false}
            hideControls
            value={quantity}
            onChange={setQuantity}
            error={!isCount && `Enter a number from 1 to ${most}.`}
            data-autofocus
            data-testid="esim-quantity"
          />
          <TextInput
            label="Email (optional)"
            description="Some providers also send the codes by email."
            type="email"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            autoComplete="email"
          />
        </div>
        <PriceNote credits={credits} />
      </DialogForm>
    </Dialog>
  );
}
