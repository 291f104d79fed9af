import { id } from './common.ts';
import { phoneNumber } from './http.ts';

/** Names a phone number by its id or by the number itself. Exactly one of the two must be given. */
export const whichNumber = {
  numberId: id('num').optional().describe('The id of the number. Either this or `phoneNumber`.'),
  phoneNumber: phoneNumber.optional().describe('The number, in E.164. Either this or `numberId`.'),
};
export const namesOne = ({ numberId, phoneNumber: named }: { numberId?: unknown; phoneNumber?: unknown }) =>
  (numberId === undefined) !== (named === undefined);
export const nameOne = { error: 'give either numberId or phoneNumber', path: ['numberId'] };
