const flashMs = 1_000;

/**
 * Shows a text in turn with the title of the page, which the app may change meanwhile.
 * @returns a function that ends this
 */
export function flashTitle(text: string): () => void {
  let usual = document.title;
  const showUsual = () => {
    document.title = usual;
  };
  const flash = () => {
    if (document.title === text) return showUsual();
    usual = document.title;
    document.title = text;
  };
  flash();
  const timer = setInterval(flash, flashMs);
  return () => {
    clearInterval(timer);
    if (document.title === text) showUsual();
  };
}
