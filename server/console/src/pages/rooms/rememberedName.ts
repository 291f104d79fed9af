const key = 'parley.name';

/** What this person wanted to be called last. */
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
    // A forbidden storage: then it is typed again.
  }
}
