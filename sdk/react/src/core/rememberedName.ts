const key = 'parley.name';

/** The display name that was last used in this browser. */
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
    // Storage is blocked, so the name has to be entered again next time.
  }
}
