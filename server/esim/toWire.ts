import { toIso } from '../../sdk/protocol/common.ts';
import type { WireEsim, WireEsimCheckout, WireEsimOrder } from '../../sdk/protocol/esim.ts';
import type { Charge } from '../http/Route.ts';
import { activationCodeOf, appleInstallUrlOf } from './activation.ts';
import type { BoughtProfile } from './EsimOrders.ts';
import type { EsimOrderRow } from './tables.ts';

export function toEsim({ id: _, ...profile }: BoughtProfile, qrCodeUrl: string): WireEsim {
  return {
    ...profile,
    activationCode: activationCodeOf(profile),
    qrCodeUrl,
    appleInstallUrl: appleInstallUrlOf(profile),
  };
}

export function toOrder(row: EsimOrderRow, esims: WireEsim[]): WireEsimOrder {
  const { id, status, packageId, quantity, credits, errorCode, errorMessage, createdAt, updatedAt } = row;
  return {
    orderId: id,
    status: status === 'submitting' ? 'pending' : status,
    packageId,
    quantity,
    esims,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    credits: status === 'failed' ? 0 : credits,
    createdAt: toIso(createdAt),
    updatedAt: toIso(updatedAt),
  };
}

export function toCheckout(order: EsimOrderRow, esims: WireEsim[], charge: Charge): WireEsimCheckout {
  return {
    orderId: order.id,
    packageId: order.packageId,
    quantity: order.quantity,
    quotedCredits: charge.credits,
    status: order.status === 'completed' ? 'completed' : 'pending',
    esims,
    credits: charge.credits,
    balance: charge.balance,
    createdAt: toIso(order.createdAt),
  };
}

/** The answer to a dry run, which only asks for the price. */
export const toDryRun = (
  { packageId, quantity }: Pick<WireEsimCheckout, 'packageId' | 'quantity'>,
  quotedCredits: number,
  balance: number | null,
): WireEsimCheckout => ({
  orderId: null,
  status: 'dry_run',
  packageId,
  quantity,
  esims: [],
  quotedCredits,
  credits: 0,
  balance,
  createdAt: toIso(new Date()),
});
