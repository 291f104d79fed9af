import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import smpp, { type PDU } from 'smpp';
import { z } from 'zod';
import { countryOf } from '../destinations.ts';

const octet = z.int().min(0).max(255);
const address = z.string().max(65);
const message = z.object({
  message: z.union([z.string(), z.instanceof(Buffer)]),
  /** The elements of the user data header, each with its identifier and length. */
  udh: z.array(z.instanceof(Buffer)).optional(),
});
const received = z.object({
  source_addr: address,
  source_addr_ton: octet,
  destination_addr: address,
  dest_addr_ton: octet,
  esm_class: octet,
  data_coding: octet,
  short_message: message.optional(),
  message_payload: message.optional(),
  receipted_message_id: z.string().max(65).optional(),
  message_state: octet.optional(),
  user_message_reference: z.int().min(0).max(0xffff).optional(),
  sar_msg_ref_num: z.int().min(0).max(0xffff).optional(),
  sar_total_segments: octet.optional(),
  sar_segment_seqnum: octet.optional(),
});

export interface Concatenation {
  reference: number;
  total: number;
  part: number;
}

/** A deliver_sm or data_sm: a text, a part of one, or a receipt. */
export interface Delivery {
  from: string;
  to: string;
  /** null if the delivery contains no text. */
  text: string | null;
  concatenation: Concatenation | null;
  /** The next three fields are a receipt's optional parameters. */
  isReceipt: boolean;
  receiptedId: string | null;
  messageState: number | null;
  mark: number | null;
}

/**
 * @param own the numbers of this server. Deliveries are addressed to one of them
 * @returns null if the PDU does not follow SMPP 3.4
 */
export function readDelivery(pdu: PDU, own: ReadonlySet<string>): Delivery | null {
  const parsed = received.safeParse(pdu);
  if (!parsed.success) return null;
  const fields = parsed.data;
  const short = fields.short_message?.message.length ? fields.short_message : undefined;
  const body = fields.message_payload ?? short ?? { message: '' };
  const isReceipt = isOfReceipt(fields);
  const to = ownAddress(fields.destination_addr, fields.dest_addr_ton, own);
  return {
    from: fromAddress(fields.source_addr, fields.source_addr_ton, to),
    to,
    text: textOf(body.message, isReceipt && fields.data_coding === 0 ? ascii : fields.data_coding),
    concatenation: concatenationOf(fields, body.udh ?? []),
    isReceipt,
    receiptedId: fields.receipted_message_id ?? null,
    messageState: fields.message_state ?? null,
    mark: fields.user_message_reference ?? null,
  };
}

/** Whether a delivery is an SMSC delivery receipt or an intermediate notification. Some SMSCs do not mark those that have its parameters. */
const isOfReceipt = ({ esm_class, receipted_message_id: id, message_state }: z.output<typeof received>) =>
  [0x04, 0x20].includes(esm_class & 0x3c) || (id !== undefined && message_state !== undefined);

const ascii = 1;

/** The alphabets of SMPP 3.4 (5.2.19) that the library leaves as octets, by their data coding. */
const alphabets: Partial<Record<number, string>> = {
  5: 'shift_jis',
  6: 'iso-8859-5',
  7: 'iso-8859-8',
  10: 'iso-2022-jp',
  14: 'euc-kr',
};

/** @returns null for data that is no text */
function textOf(message: string | Buffer, coding: number): string | null {
  if (typeof message === 'string') return coding === ascii ? asciiOf(message) : message;
  const alphabet = alphabets[coding];
  return alphabet === undefined ? null : new TextDecoder(alphabet).decode(message);
}

/**
 * Reads ASCII, which the library takes for the GSM alphabet. Both are octets below 128, so the octets can be found again. SMSCs write
 * receipts in ASCII, with data coding 0.
 */
const asciiOf = (gsm: string) => smpp.gsmCoder.encode(gsm, 0).toString('latin1');

const national = 2;
const alphanumeric = 5;

/**
 * Reads an address. SMSCs send numbers with or without their type. A number that may be international gets a plus sign.
 * @param near a number of the country in which a national number is meant
 */
function fromAddress(text: string, ton: number, near: string): string {
  const isNational = ton === national && !/^(\+|00)/.test(text);
  // Some SMSCs mark every number as national: one that cannot exist in this country is read as international.
  return (isNational && fromNational(text, near)) || fromInternational(text, ton);
}

function fromInternational(text: string, ton: number): string {
  const digits = text.replace(/^(\+|00)/, '');
  return ton !== alphanumeric && /^[1-9]\d{6,14}$/.test(digits) ? `+${digits}` : text;
}

function fromNational(text: string, near: string): string | null {
  const country = countryOf(near) as CountryCode | null;
  const parsed = country && parsePhoneNumberFromString(text, country);
  return parsed?.isPossible() ? parsed.number : null;
}

/** Reads an address of this server. A national one is that of its numbers which is written like this in its country. */
function ownAddress(text: string, ton: number, own: ReadonlySet<string>): string {
  const address = fromInternational(text, ton);
  if (ton !== national || own.has(address)) return address;
  const isIt = (number: string) => number.endsWith(text.slice(-4)) && fromNational(text, number) === number;
  return [...own].find(isIt) ?? address;
}

function concatenationOf(fields: z.output<typeof received>, udh: Buffer[]): Concatenation | null {
  for (const element of udh) {
    const [identifier, length] = element;
    if (identifier === 0x00 && length === 3 && element.length === 5)
      return valid(element.readUInt8(2), element.readUInt8(3), element.readUInt8(4));
    if (identifier === 0x08 && length === 4 && element.length === 6)
      return valid(element.readUInt16BE(2), element.readUInt8(4), element.readUInt8(5));
  }
  const { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: part } = fields;
  if (reference === undefined || total === undefined || part === undefined) return null;
  return valid(reference, total, part);
}

/** Null for a header that contradicts itself, which 3GPP TS 23.040 says to ignore. */
const valid = (reference: number, total: number, part: number): Concatenation | null =>
  total > 1 && part >= 1 && part <= total ? { reference, total, part } : null;
