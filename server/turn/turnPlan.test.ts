import { expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { coturnSettings, planTurn } from './turnPlan.ts';

const settings = { NODE_ENV: 'test', TURN: 'auto', HOST: '::' };
const plan = (announced: string[], lan: string | null = '10.0.0.5') =>
  planTurn(readConfig({ ...settings, MEDIA_ANNOUNCED_ADDRESS: announced.join() }), announced, lan);

it('relays from the IPv4 address behind a NAT, although the announced IPv6 address belongs to this machine', () => {
  expect(plan(['203.0.113.7', '::1'])).toMatchObject({ mediaIp: '10.0.0.5', announced: '203.0.113.7' });
});

it('relays from an IPv6 address only if no other is announced, and never maps one family to the other', () => {
  expect(plan(['::1', '127.0.0.1'], null)).toMatchObject({ mediaIp: '127.0.0.1', announced: '127.0.0.1' });
  const only6 = plan(['::1'], null);
  expect(only6).toMatchObject({ mediaIp: '::1', announced: '::1' });
  const lines = only6 ? coturnSettings(only6, { folder: '/tmp', secrets: ['secret'] }) : [];
  expect(lines).toContain('allocation-default-address-family=ipv6');
  expect(lines.filter((line) => line.startsWith('external-ip'))).toEqual([]);
});

it('names the announced address to clients if TURN_HOST means all addresses', () => {
  const config = readConfig({ ...settings, HOST: '127.0.0.1', TURN_HOST: '0.0.0.0' });
  expect(planTurn(config, ['203.0.113.7'], null)).toMatchObject({
    listenIp: null,
    urls: ['turn:203.0.113.7:3478?transport=udp', 'turn:203.0.113.7:3478?transport=tcp'],
  });
});
