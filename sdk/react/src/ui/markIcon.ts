const size = 64;

/**
 * Draws a dot on the icon that the browser shows for the page (`<link rel="icon">`). Does nothing if the page has none, or one of another
 * origin, which pages cannot read. Some browsers draw an SVG only if it has a `width` and a `height`.
 * @returns a function that restores the icon
 */
export function markIcon(): () => void {
  const link = document.querySelector<HTMLLinkElement>('link[rel~="icon"]');
  if (!link) return () => undefined;
  const { href, type } = link;
  const icon = new Image(size, size);
  icon.onload = () => {
    const marked = withDot(icon);
    if (marked) Object.assign(link, { type: 'image/png', href: marked });
  };
  icon.src = href;
  return () => {
    icon.onload = null;
    Object.assign(link, { type, href });
  };
}

/** @returns a data URL; null if the icon cannot be read */
function withDot(icon: HTMLImageElement): string | null {
  const canvas = Object.assign(document.createElement('canvas'), { width: size, height: size });
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.drawImage(icon, 0, 0, size, size);
  const radius = size / 4;
  context.beginPath();
  context.arc(size - radius, radius, radius, 0, 2 * Math.PI);
  context.fillStyle = '#d92d20';
  context.fill();
  try {
    return canvas.toDataURL('image/png');
  } catch {
    return null;
  }
}
