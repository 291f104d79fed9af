/** The logo: two speech bubbles that lean towards each other. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path d="M12 4a9 9 0 0 0-9 9v11l4-3.2A9 9 0 1 0 12 4Z" fill="var(--mantine-color-pine-7)" />
      <path
        d="M20 10a9 9 0 0 1 9 9v9l-4-3a9 9 0 1 1-5-15Z"
        fill="var(--mantine-color-amber-4)"
        fillOpacity="0.92"
      />
    </svg>
  );
}
