import type { EsimPackage } from '@parley/sdk';

const gigabytes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** For example "5 GB", "500 MB" or "unlimited data". */
export function describeData({ dataMegabytes }: Pick<EsimPackage, 'dataMegabytes'>): string {
  if (dataMegabytes === null) return 'unlimited data';
  return dataMegabytes < 1_024 ? `${dataMegabytes} MB` : `${gigabytes.format(dataMegabytes / 1_024)} GB`;
}
