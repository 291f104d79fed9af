import { ParleyError } from '../../sdk/protocol/errors.ts';

/** Also the error for calls between other wallets. */
export const noSuchCall = () =>
  new ParleyError('NOT_FOUND', 'There is no such call: check its id.', { extra: { resource: 'call' } });
