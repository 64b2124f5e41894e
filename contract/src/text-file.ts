/** Thrown for a file that is not text in UTF-8 or UTF-16. The message is a clause about the file. */
export class UndecodableText extends Error {}

/**
 * Returns a decoder for the bytes of a text file, which throws for what it cannot decode: for UTF-16 if the file starts with
 * that byte order mark, otherwise for UTF-8. It drops the mark.
 */
export function createFileDecoder(bytes: Uint8Array): TextDecoder {
  const mark = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)
  return new TextDecoder(mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8', { fatal: true })
}

/** Decodes a text file as a whole. Throws `UndecodableText` for any byte that it cannot decode. */
export function decodeTextFile(bytes: Uint8Array): string {
  try {
    return createFileDecoder(bytes).decode(bytes)
  } catch (cause) {
    throw new UndecodableText('is not text in UTF-8', { cause })
  }
}
