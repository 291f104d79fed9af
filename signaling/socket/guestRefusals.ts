import { ParleyError } from '../../sdk/protocol/errors.ts';

export const tokenRevoked = () =>
  new ParleyError(
    'AUTHENTICATION_REQUIRED',
    'The participant token is not valid or was revoked: ask your host for a new one.',
    { reason: 'token_revoked' },
  );

export const tokenExpired = () =>
  new ParleyError(
    'AUTHENTICATION_REQUIRED',
    'The participant token has expired: ask your host for a new one.',
    { reason: 'token_expired' },
  );

export const otherStream = () =>
  new ParleyError(
    'ACCESS_DENIED',
    'The participant token is for another stream: ask your host for one for this stream.',
    { reason: 'other_room' },
  );
