import smpp from 'smpp';
import type { Submission } from '../Carrier.ts';
import { partsOf } from '../../../../sdk/protocol/segments.ts';

const international = 1;
const isdn = 1;
const udhIndicator = 0x40;
const ucs2 = 8;

/**
 * Builds the submit_sm of every part. Data coding 0 is the SMSC's default alphabet: GSM 03.38 with one septet per octet. The SMSC packs the
 * septets. The library gets octets, so that it does not choose an encoding itself.
 * @param reference 8 bits that all parts of the text share
 */
export function submitFields({ from, to, text }: Submission, reference: number): Record<string, unknown>[] {
  const { parts, encoding } = partsOf(text);
  return parts.map((part, index) => {
    const header = Buffer.from([5, 0, 3, reference, parts.length, index + 1]);
    const isConcatenated = parts.length > 1;
    const octets = encoding === 'GSM-7' ? smpp.gsmCoder.encode(part, 0) : bigEndian(part);
    return {
      source_addr_ton: international,
      source_addr_npi: isdn,
      source_addr: from.slice(1),
      dest_addr_ton: international,
      dest_addr_npi: isdn,
      destination_addr: to.slice(1),
      esm_class: isConcatenated ? udhIndicator : 0,
      registered_delivery: 1,
      data_coding: encoding === 'GSM-7' ? 0 : ucs2,
      short_message: isConcatenated ? Buffer.concat([header, octets]) : octets,
    };
  });
}

const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();
