/** The readable parts of a JSON Web Token (RFC 7519), without verification of the signature. */
export interface DecodedJwt {
  header: Record<string, unknown>
  payload: Record<string, unknown>
}

/** Decodes a token locally. Returns undefined for anything but a JSON Web Token. */
export function decodeJwt(token: string): DecodedJwt | undefined {
  const [header, payload, signature] = token.split('.')
  if (!header || !payload || signature === undefined) return undefined
  try {
    return { header: decodePart(header), payload: decodePart(payload) }
  } catch {
    return undefined
  }
}

function decodePart(encoded: string): Record<string, unknown> {
  const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  const part: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  if (typeof part !== 'object' || part === null || Array.isArray(part)) throw new TypeError('No object')
  return part as Record<string, unknown>
}
