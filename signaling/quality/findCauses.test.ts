import { describe, expect, it } from 'vitest';
import type { IsoDate } from '../../sdk/protocol/common.ts';
import type { WireQuality, WireQualitySample } from '../../sdk/protocol/quality.ts';
import { findCauses } from './findCauses.ts';

type Wallet = WireQuality['participants'][number]['walletAddress'];

const start = Date.parse('2026-11-26T12:00:00.000Z');
const time = (seconds: number) => new Date(start + seconds * 1_000).toISOString() as IsoDate;
const [ann, bob, cem] = ['0xa', '0xb', '0xc'] as Wallet[] as [Wallet, Wallet, Wallet];

const sending = {
  kbps: 900,
  availableKbps: 2_000,
  lossPercent: 0,
  jitterMs: 5,
  layers: 3,
  height: 720,
  fps: 30,
  limitedBy: 'none' as const,
};
const receiving = {
  kbps: 900,
  lossPercent: 0,
  jitterMs: 5,
  height: 720,
  fps: 30,
  freezes: 0,
  frozenMs: 0,
  concealedPercent: 0,
};
const well: Omit<WireQualitySample, 'at'> = {
  path: { over: 'udp', relayed: false },
  roundTripMs: 30,
  sending,
  receiving,
  scores: { sending: 10, receiving: 10 },
  server: { load: 0.2, cpu: 0.3 },
};
const lossy = { ...well, receiving: { ...receiving, lossPercent: 12 } };
const onFull = (sample: typeof well) => ({ ...sample, server: { load: 0.5, cpu: 0.97 } });

/** Three minutes in which every participant reports every ten seconds, `bad` from the second minute on until the third. */
function meeting(bad: Map<Wallet, typeof well>, otherwise = well): WireQuality['participants'] {
  return [ann, bob, cem].map((walletAddress, index) => ({
    walletAddress,
    samples: Array.from({ length: 18 }, (_, step) => {
      const isBad = step >= 6 && step < 12;
      return { at: time(step * 10 + index * 3), ...((isBad && bad.get(walletAddress)) || otherwise) };
    }),
  }));
}

describe('the causes', () => {
  it('are none if everybody was well, even on a full machine', () => {
    expect(findCauses(meeting(new Map()), [])).toEqual([]);
    expect(findCauses(meeting(new Map(), onFull(well)), [])).toEqual([]);
  });

  it('are the network of one participant, from beginning to end', () => {
    expect(findCauses(meeting(new Map([[bob, lossy]])), [])).toMatchObject([
      { cause: 'participant_network', walletAddress: bob, from: time(53), to: time(113) },
    ]);
  });

  it('are the network of one participant on a full machine too, if the others were well', () => {
    const causes = findCauses(meeting(new Map([[bob, onFull(lossy)]]), onFull(well)), []);
    expect(causes).toMatchObject([{ cause: 'participant_network', walletAddress: bob }]);
  });

  it('are the machine if it was full and everybody noticed', () => {
    const full = new Map([ann, bob, cem].map((wallet) => [wallet, onFull(lossy)]));
    expect(findCauses(meeting(full), [])).toMatchObject([{ cause: 'machine_full', walletAddress: null }]);
  });

  it('are the server’s network if everybody noticed and the machine was idle', () => {
    const all = new Map([ann, bob, cem].map((wallet) => [wallet, lossy]));
    expect(findCauses(meeting(all), [])).toMatchObject([{ cause: 'server_network', walletAddress: null }]);
  });

  it('are a device that freezes although nothing was lost', () => {
    const slow = { ...well, receiving: { ...receiving, freezes: 4, frozenMs: 3_000 } };
    expect(findCauses(meeting(new Map([[cem, slow]])), [])).toMatchObject([
      { cause: 'participant_device', walletAddress: cem },
    ]);
  });

  it('are one death of a node for all whom it interrupted, until the last was back', () => {
    const causes = findCauses(meeting(new Map()), [
      { at: time(30), kind: 'node_died', walletAddress: ann },
      { at: time(30.4), kind: 'node_died', walletAddress: bob },
      { at: time(31), kind: 'joined', walletAddress: ann },
      { at: time(32), kind: 'joined', walletAddress: bob },
    ]);
    expect(causes).toMatchObject([{ cause: 'node_died', walletAddress: null, from: time(30), to: time(32) }]);
  });

  it('are a lost connection until it was back', () => {
    const causes = findCauses(meeting(new Map()), [
      { at: time(30), kind: 'connection_lost', walletAddress: cem },
      { at: time(42), kind: 'connection_back', walletAddress: cem },
    ]);
    expect(causes).toMatchObject([
      { cause: 'connection_lost', walletAddress: cem, from: time(30), to: time(42) },
    ]);
  });
});
