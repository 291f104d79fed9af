import type { EsimProfile } from './EsimProvider.ts';

/** The text of the QR code (GSMA SGP.22, section 4.1). */
export const activationCodeOf = ({ smdpAddress, matchingId }: EsimProfile) =>
  `LPA:1$${smdpAddress}$${matchingId}`;

/** A URL that opens the eSIM installation on an iPhone (iOS 17.4 and later). */
export const appleInstallUrlOf = (profile: EsimProfile) =>
  `https://esimsetup.apple.com/esim_qrcode_provisioning?carddata=${activationCodeOf(profile)}`;

/** The last digit of an ICCID (ITU-T E.118), which is the Luhn check digit of the digits before it. */
export function luhnDigit(digits: string): string {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return String((10 - (sum % 10)) % 10);
}
