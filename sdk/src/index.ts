export { Parley, type ParleyOptions } from './Parley.ts';
export { ParleyError } from '../protocol/errors.ts';
export type { MediaOptions } from './media/device.ts';
export type { Eip1193Provider, Signer } from './connection/signIn.ts';
export { linkStatement } from '../protocol/statements.ts';
export { verifyWebhook } from './http/verifyWebhook.ts';
export type * from './types.ts';
export type * from './http/phoneTypes.ts';
