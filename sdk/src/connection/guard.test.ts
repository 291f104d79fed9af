import { describe, expect, it } from 'vitest';
import { ParleyError } from '../../protocol/errors.ts';
import { httpParameters } from '../http/httpParameters.ts';
import { realtimeParameters } from './realtimeParameters.ts';
import type { ParleyOptions } from '../options.ts';
import { Parley } from '../Parley.ts';

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const client = new Parley({ apiKey: '', baseUrl: 'http://127.0.0.1:1' });

/** A wrong argument of each type. */
const values: Record<string, unknown> = {
  null: null,
  undefined: undefined,
  symbol: Symbol('wrong'),
  number: 7,
  object: {},
  array: [],
  text: 'wrong',
};
/** The values above that are valid for a kind. */
const validValues: Record<string, string[]> = {
  text: ['text'],
  number: ['number'],
  flag: [],
  list: ['array'],
  object: ['object'],
  'text|object': ['text', 'object'],
  'object|null': ['object', 'null'],
  track: [],
  file: [],
  // Any JSON value.
  data: ['null', 'number', 'object', 'array', 'text'],
};
/** A valid argument of each kind. */
const validArguments: Record<string, unknown> = {
  text: 'x',
  number: 1,
  flag: true,
  list: [],
  object: {},
  'text|object': 'x',
  'object|null': null,
  track: { kind: 'video' },
  file: new Uint8Array(1),
  data: 'x',
};

const parameters = { ...httpParameters, ...realtimeParameters };

const cases = Object.entries(parameters).flatMap(([namespace, methods]) =>
  Object.entries(methods as Record<string, string>).flatMap(([method, spec]) => {
    const wanted = spec.split(' ').filter(Boolean);
    return wanted.flatMap((one, at) => {
      const isOptional = one.endsWith('?');
      const [field = '', kind = ''] = one.replace('?', '').split(':');
      const before = wanted
        .slice(0, at)
        .map((other) => validArguments[other.replace('?', '').split(':')[1] ?? '']);
      return Object.entries(values)
        .filter(([name]) => !validValues[kind]?.includes(name) && !(isOptional && name === 'undefined'))
        .map(([name, value]) => ({ namespace, method, field, name, given: [...before, value] }));
    });
  }),
);

/** Methods that are internal or synchronous, which are not guarded. */
const unguarded = new Set([
  ...['constructor', 'capture', 'session', 'enter', 'open', 'startCamera', 'startMicrophone', 'stopSending'],
  ...[
    'captureScreen',
    'checkHandler',
    'isAvailable',
    'startScreen',
    'stopScreen',
    'close',
    'closeAll',
    'recover',
    'resumeWith',
    'follow',
    'seen',
  ],
  ...[
    'attach',
    'play',
    'level',
    'state',
    'view',
    'isOpen',
    'localStream',
    'localScreen',
    'participants',
    'receivingState',
    'pending',
    'discard',
  ],
]);

describe('wrong arguments', () => {
  it('are checked for every public method', () => {
    for (const [name, methods] of Object.entries(parameters)) {
      const prototype: object = Object.getPrototypeOf(client[name as keyof typeof parameters]) as object;
      const names = Object.getOwnPropertyNames(prototype).filter(
        (one) => Object.hasOwn(methods, one) || !unguarded.has(one),
      );
      expect([name, names.sort()]).toEqual([name, Object.keys(methods).sort()]);
    }
  });

  it('reject with the name of the field', async () => {
    expect(cases.length).toBeGreaterThan(600);
    for (const { namespace, method, field, name, given } of cases) {
      const target = client[namespace as keyof typeof parameters] as unknown as Record<
        string,
        (...given: unknown[]) => Promise<unknown>
      >;
      const error: unknown = await target[method]?.(...given).catch((reason: unknown) => reason);
      const seen = error instanceof ParleyError && [error.code, error.details?.[0]?.path];
      expect([namespace, method, name, seen]).toEqual([namespace, method, name, ['VALIDATION_ERROR', field]]);
    }
  });

  it.each([
    ['an invalid address', () => client.messages.getConversation(undefined as never), 'VALIDATION_ERROR'],
    [
      'a missing recipient',
      () => client.messages.send({ content: '', type: 'text' } as never),
      'INVALID_ADDRESS',
    ],
    [
      'a file in place of the object with it',
      () => client.messages.send({ to: address, type: 'file', content: '', media: new Blob(['x']) as never }),
      'VALIDATION_ERROR',
    ],
    ['a missing file', () => client.messages.sendFile({ to: address } as never), 'VALIDATION_ERROR'],
    [
      'a time that is not a Date',
      () => client.calls.getHistory({ from: 'today' as never }),
      'VALIDATION_ERROR',
    ],
    ['an invalid time', () => client.calls.getHistory({ to: new Date(NaN) }), 'VALIDATION_ERROR'],
    [
      'an invalid time of a page of messages',
      () => client.messages.getMessages({ with: address, before: 5 as never }),
      'VALIDATION_ERROR',
    ],
    [
      'an unknown quality',
      () => client.streaming.start({ streamId: 'x', quality: '8k' as never }),
      'VALIDATION_ERROR',
    ],
    ['a server that is not named', () => new Parley({ apiKey: '' }).serverStatus(), 'VALIDATION_ERROR'],
    [
      'a server that is not named, on the realtime side',
      () => new Parley({ apiKey: '' }).calls.getActive(),
      'VALIDATION_ERROR',
    ],
    [
      'a file that cannot be read',
      () => client.media.upload({ uri: 'http://127.0.0.1:1/x' }),
      'VALIDATION_ERROR',
    ],
    ['a missing signer', () => client.signIn(undefined as never), 'VALIDATION_ERROR'],
    ['an invalid wallet address', () => client.authenticate(Symbol('x') as never, '', ''), 'INVALID_ADDRESS'],
    [
      'a wallet other than the client’s',
      () =>
        new Parley({ apiKey: '', baseUrl: 'http://127.0.0.1:1', walletAddress: address }).authenticate(
          '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
          '0x',
          '',
        ),
      'VALIDATION_ERROR',
    ],
    ['a screen share in Node', () => client.conference.startScreenShare('room_x'), 'PERMISSION_DENIED'],
  ])('reject for %s', async (_name, request, code) => {
    await expect(request()).rejects.toMatchObject({ name: 'ParleyError', code });
  });

  it.each([
    [undefined, 'options'],
    [null, 'options'],
    [{ apiKey: '', baseUrl: 'calls.example.org' }, 'https://calls.example.org'],
    [{ apiKey: '', platform: 1 }, 'platform'],
    [
      { apiKey: '', baseUrl: 'http://127.0.0.1:1', media: { handlerName: 'Chrome111' } },
      'RTCPeerConnection and MediaStream',
    ],
  ])('of the constructor are explained: %j', (options, message) => {
    expect(() => new Parley(options as ParleyOptions)).toThrow(message);
    expect(() => new Parley(options as ParleyOptions)).toThrow(ParleyError);
  });

  it('throw outside a browser, where there are no elements', () => {
    expect(() => client.media.attach({} as Element, { participant: address, source: 'camera' })).toThrow(
      ParleyError,
    );
  });
});
