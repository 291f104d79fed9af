const kinds = ['image', 'video', 'audio'] as const;

/** The message type of a file; null for a file that cannot be sent. */
export function typeOfFile({ type }: Pick<File, 'type'>): (typeof kinds)[number] | null {
  return kinds.find((kind) => type.startsWith(`${kind}/`)) ?? null;
}

const largestBytes = 25 * 1024 * 1024;

/** Explains why a file cannot be sent; null if it can. */
export function whyNot(file: Pick<File, 'type' | 'size' | 'name'>): string | null {
  if (!typeOfFile(file))
    return `“${file.name}” is not an image, a video or an audio file. Other files can’t be sent.`;
  if (file.size > largestBytes) return `“${file.name}” is larger than 25 MB. Choose a smaller file.`;
  if (file.size === 0) return `“${file.name}” is empty. Choose another file.`;
  return null;
}
