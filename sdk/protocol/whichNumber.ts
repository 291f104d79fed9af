import { id } from './common.ts';
import { phoneNumber } from './http.ts';

/** One of the two names the number. */
export const whichNumber = { numberId: id('num').optional(), phoneNumber: phoneNumber.optional() };
export const namesOne = ({ numberId, phoneNumber: named }: { numberId?: unknown; phoneNumber?: unknown }) =>
  (numberId === undefined) !== (named === undefined);
export const nameOne = { error: 'either numberId or phoneNumber', path: ['numberId'] };
