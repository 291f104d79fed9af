export { Parley, type ParleyOptions } from './Parley.ts';
export { ParleyError } from '../protocol/errors.ts';
export type { MediaOptions } from './device.ts';
export type { Eip1193Provider, Signer } from './signIn.ts';
export { linkStatement } from '../protocol/statements.ts';
export { verifyWebhook } from './verifyWebhook.ts';
export type * from './types.ts';
export type * from './phoneTypes.ts';
