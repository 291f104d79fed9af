const key = 'parley.name';

/** The display name that was used last in this browser. */
export function rememberedName(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

export function rememberName(name: string): void {
  try {
    localStorage.setItem(key, name.trim());
  } catch {
    // Storage is blocked: the name has to be entered again next time.
  }
}
