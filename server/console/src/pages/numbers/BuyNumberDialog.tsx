import type { NumberOrder } from '@parley/sdk';
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog.tsx';
import { BoughtNumber } from './BoughtNumber.tsx';
import { BuyNumberForm } from './BuyNumberForm.tsx';

/** Buys a number and shows the result. */
export function BuyNumberDialog({ onClose }: { onClose: () => void }) {
  const [order, setOrder] = useState<NumberOrder | null>(null);
  return (
    <Dialog title={titleOf(order)} onClose={onClose} isWide testId="buy-dialog">
      {order ? (
        <BoughtNumber order={order} onClose={onClose} />
      ) : (
        <BuyNumberForm onBought={setOrder} onCancel={onClose} />
      )}
    </Dialog>
  );
}

function titleOf(order: NumberOrder | null): string {
  if (!order) return 'Buy a number';
  return order.status === 'completed' ? 'Number bought' : 'Order placed';
}
