import { shortAddress, type AuditRow } from '@parley/sdk';

/** Describes the action of an entry, for example `GET /api/v1/account` or `Key revoked: svc_live_abc123…`. */
export function describeAction({ action, method, path, actor }: AuditRow): string {
  const key = actor.prefix ? ` ${actor.prefix}…` : '';
  switch (action) {
    case 'request':
      return `${method ?? ''} ${path ?? ''}`.trim();
    case 'api_key.created':
      return `Key created:${key}`;
    case 'api_key.rotated':
      return `Key rotated:${key}`;
    case 'api_key.revoked':
      return `Key revoked:${key}`;
    case 'session.created':
      return 'Signed in';
    case 'session.ended':
      return 'Signed out';
    case 'webhook.changed':
      return 'Webhook changed';
    case 'credits.granted':
      return 'Credits added';
    case 'credits.taken_back':
      return 'Credits deducted';
    case 'account.blocked':
      return 'Account blocked';
    case 'account.unblocked':
      return 'Account unblocked';
    case 'identity.linked':
      return 'Sign-in method linked';
    case 'identity.unlinked':
      return 'Sign-in method unlinked';
    case 'subscription.changed':
      return 'Plan changed';
    case 'account.exported':
      return 'Export of the data requested';
    case 'account.deletion_requested':
      return 'Deletion of the account requested';
    case 'account.restored':
      return 'Deletion of the account withdrawn';
  }
}

/** Describes who sent the request or made the change. */
export function describeActor({ actor }: AuditRow): string {
  switch (actor.type) {
    case 'api_key':
      return `key ${actor.prefix ?? ''}…`;
    case 'session':
      return 'a signed-in wallet';
    case 'x402':
      return actor.payer ? `a one-off payment by ${shortAddress(actor.payer)}` : 'a one-off payment';
    case 'operator':
      return 'the operator';
    case 'system':
      return 'the server';
  }
}

/** The colour of an HTTP status. */
export function colourOf(status: number): 'pine' | 'amber' | 'brick' {
  if (status < 400) return 'pine';
  return status < 500 ? 'amber' : 'brick';
}
