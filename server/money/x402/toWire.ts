import { toIso } from '../../../sdk/protocol/common.ts';
import type { WireRequestPayment } from '../../../sdk/protocol/payments.ts';
import type { PaymentRow } from './tables.ts';

export function toPayment(row: PaymentRow): WireRequestPayment {
  const { id, status, failure, payer, network, asset, payTo, tx, service, units, credits, method, path } =
    row;
  return {
    id,
    status,
    failure,
    payer,
    network,
    asset,
    amount: String(row.amount),
    payTo,
    transaction: tx,
    service,
    units,
    credits,
    method,
    path,
    createdAt: toIso(row.createdAt),
    settledAt: row.settledAt && toIso(row.settledAt),
  };
}
