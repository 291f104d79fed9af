import type { EsimPackage } from '@parley/sdk';

const gigabytes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** 5 GB, 500 MB, or as much as one likes. */
export function describeData({ dataMegabytes }: Pick<EsimPackage, 'dataMegabytes'>): string {
  if (dataMegabytes === null) return 'unlimited data';
  return dataMegabytes < 1_024 ? `${dataMegabytes} MB` : `${gigabytes.format(dataMegabytes / 1_024)} GB`;
}
