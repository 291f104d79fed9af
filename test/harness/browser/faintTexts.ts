import type { Page } from 'playwright-core';

/** The texts of a page whose contrast with their background is below that of WCAG AA (4.5, or 3 for large text), one of each style. */
export function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Color = [red: number, green: number, blue: number, alpha: number];
    const read = (text: string): Color => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
      return [red, green, blue, alpha];
    };
    const over = ([r, g, b, a]: Color, [red, green, blue]: Color): Color => [
      r * a + red * (1 - a),
      g * a + green * (1 - a),
      b * a + blue * (1 - a),
      1,
    ];
    const backgroundOf = (element: Element | null): Color => {
      if (!element) return [255, 255, 255, 1];
      const own = read(getComputedStyle(element).backgroundColor);
      return own[3] === 1 ? own : over(own, backgroundOf(element.parentElement));
    };
    const luminance = (color: Color) => {
      const [red = 0, green = 0, blue = 0] = color
        .slice(0, 3)
        .map((part) => (part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const faint = new Map<string, string>();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement as Element;
      const text = texts.currentNode.textContent?.trim().slice(0, 40);
      const isVisible = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      if (!text || !isVisible || element.closest('[disabled]')) continue;
      const { color, fontSize, fontWeight } = getComputedStyle(element);
      const background = backgroundOf(element);
      const [light = 0, dark = 0] = [luminance(over(read(color), background)), luminance(background)].sort(
        (one, other) => other - one,
      );
      const pixels = Number.parseFloat(fontSize);
      const isLarge = pixels >= 24 || (pixels >= 18.5 && Number(fontWeight) >= 700);
      const contrast = (light + 0.05) / (dark + 0.05);
      if (contrast >= (isLarge ? 3 : 4.5)) continue;
      const style = `${element.tagName.toLowerCase()}.${element.className}, ${color} on ${background.map(Math.round).join()}`;
      if (!faint.has(style)) faint.set(style, `${contrast.toFixed(1)}: ${style}: ${text}`);
    }
    return [...faint.values()];
  });
}
