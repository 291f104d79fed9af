import type { PDU } from 'smpp';
import { expect, it } from 'vitest';
import { readDelivery } from './delivery.ts';

const own = new Set(['+12025550111', '+447400123456']);
const [international, national] = [1, 2];

/** Reads the addresses of a text. */
function addresses(from: [address: string, ton: number], to: [address: string, ton: number]) {
  const pdu = {
    command: 'deliver_sm',
    source_addr: from[0],
    source_addr_ton: from[1],
    destination_addr: to[0],
    dest_addr_ton: to[1],
    esm_class: 0,
    data_coding: 0,
    short_message: { message: 'hello' },
  };
  const delivery = readDelivery(pdu as unknown as PDU, own);
  return [delivery?.from, delivery?.to];
}

it('reads national numbers in the country of its own number', () => {
  const [american, british] = [...own] as [string, string];
  expect(addresses(['2025550123', national], ['12025550111', international])).toEqual([
    '+12025550123',
    american,
  ]);
  expect(addresses(['2025550123', national], ['2025550111', national])).toEqual(['+12025550123', american]);
  expect(addresses(['07700900123', national], ['07400123456', national])).toEqual(['+447700900123', british]);
  expect(addresses(['7700900123', national], ['447400123456', international])).toEqual([
    '+447700900123',
    british,
  ]);
});

it('reads numbers that are wrongly marked as national', () => {
  const [american, british] = [...own] as [string, string];
  expect(addresses(['12025550123', national], ['12025550111', national])).toEqual(['+12025550123', american]);
  expect(addresses(['+12025550123', national], ['447400123456', national])).toEqual([
    '+12025550123',
    british,
  ]);
  expect(addresses(['4915112345678', national], ['12025550111', national])).toEqual([
    '+4915112345678',
    american,
  ]);
  expect(addresses(['447700900123', national], ['447400123456', national])).toEqual([
    '+447700900123',
    british,
  ]);
});

it('takes a delivery with the parameters of a receipt for one, also if the SMSC does not mark it', () => {
  const isReceipt = (more: object) =>
    readDelivery(
      {
        ...{ source_addr: '447700900123', source_addr_ton: 1, destination_addr: '12025550111' },
        ...{ dest_addr_ton: 1, esm_class: 0, data_coding: 0, ...more },
        short_message: { message: 'id:1 sub:001 dlvrd:001 stat:DELIVRD err:000' },
      } as unknown as PDU,
      own,
    )?.isReceipt;
  expect(isReceipt({ receipted_message_id: '1', message_state: 2 })).toBe(true);
  expect(isReceipt({ esm_class: 4 })).toBe(true);
  // Anybody could send such a text.
  expect(isReceipt({})).toBe(false);
});
