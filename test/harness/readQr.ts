import jsQr from 'jsqr';

/** Reads a QR code in an image of RGBA pixels. jsQR's types and its module disagree on where the default export is. */
export const readQr = (
  typeof jsQr === 'function' ? jsQr : (jsQr as { default: unknown }).default
) as typeof jsQr.default;
