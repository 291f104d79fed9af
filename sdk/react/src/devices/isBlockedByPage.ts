import type { InputKind } from './useDevicePreview.ts';

interface PoliciedDocument {
  featurePolicy?: { allowsFeature: (feature: string) => boolean };
}

/** Whether the website does not let this page use a device, so that the user was not asked. Only Chromium can tell. */
export const isBlockedByPage = (kind: InputKind): boolean =>
  (document as PoliciedDocument).featurePolicy?.allowsFeature(kind) === false;
