import { expect, it } from 'vitest';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { HttpClient } from '../../../sdk/src/http/HttpClient.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { describeError } from './describeError.ts';

it('names the error of the network that fetch and the SDK wrap', async () => {
  const port = await freePorts();
  const http = new HttpClient({
    baseUrl: `http://127.0.0.1:${port}`,
    credential: () => Promise.resolve(undefined),
  });
  const error: unknown = await http.request('POST', '/auth/nonce').catch((refused: unknown) => refused);
  expect(error).toBeInstanceOf(ParleyError);
  expect(describeError('sign in', error)).toEqual({
    code: 'ECONNREFUSED',
    message: `connect ECONNREFUSED 127.0.0.1:${port}`,
  });
});

it('says what to do when media does not get through', () => {
  const cause = new DOMException('The operation was aborted', 'AbortError');
  const error = new Error('transport not open within 30 s: state connecting, ICE checking', { cause });
  expect(describeError('join', error)).toEqual({
    code: 'not_connected',
    message: 'transport not open within 30 s: state connecting, ICE checking',
    hint: 'let UDP pass to the media ports of the server',
  });
});

it('names the setting of a limit', () => {
  const error = new ParleyError('RATE_LIMIT_EXCEEDED', 'Too many requests.');
  expect(describeError('sign in', error)).toEqual({
    code: 'rate_limit_exceeded',
    message: 'Too many requests.',
    hint: 'raise RATE_LIMIT_AUTH on the server',
  });
});
