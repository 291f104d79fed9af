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

it('reads texts in the alphabets of SMPP, and no other data', () => {
  const text = (data_coding: number, octets: number[]) => {
    const from = { source_addr: '447700900123', source_addr_ton: 1 };
    const to = { destination_addr: '12025550111', dest_addr_ton: 1 };
    const message = { message: Buffer.from(octets) };
    const pdu = { command: 'deliver_sm', ...from, ...to, esm_class: 0, data_coding, short_message: message };
    return readDelivery(pdu as unknown as PDU, own)?.text;
  };
  expect(text(5, [0x93, 0xfa, 0x96, 0x7b])).toBe('日本');
  expect(text(6, [0xbf, 0xe0, 0xd8, 0xd2, 0xd5, 0xe2])).toBe('Привет');
  expect(text(7, [0xf9, 0xec, 0xe5, 0xed])).toBe('שלום');
  expect(text(10, [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42])).toBe('日本');
  expect(text(14, [0xc7, 0xd1, 0xb1, 0xdb])).toBe('한글');
  expect(text(4, [0xc7, 0xd1])).toBeNull();
});
