import { useEffect, useState } from 'react';
import { Spinner } from '../../ui/Spinner.tsx';

/** The light border that scanners need, in modules. */
const quiet = 4;

/** A text as a QR code. Its generator is loaded when it is first shown. @param label the name for screen readers */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let isWanted = true;
    import('qrcode')
      .then(({ create }) => {
        const { size, data } = create(text).modules;
        const path = [...data].map((isDark, at) =>
          isDark ? `M${(at % size) + quiet} ${Math.floor(at / size) + quiet}h1v1h-1z` : '',
        );
        if (isWanted) setCode({ size: size + 2 * quiet, path: path.join('') });
      })
      .catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [text]);
  if (!code) return <Spinner />;
  // Always dark on light, because many scanners do not read inverted codes.
  return (
    <svg
      viewBox={`0 0 ${code.size} ${code.size}`}
      width="100%"
      style={{ display: 'block', maxWidth: '15rem', margin: '0 auto', borderRadius: 8 }}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      data-testid="qr-code"
    >
      <rect width={code.size} height={code.size} fill="#fff" />
      <path d={code.path} fill="#000" />
    </svg>
  );
}
