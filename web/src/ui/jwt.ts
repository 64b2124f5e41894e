/** The readable parts of a JSON Web Token (RFC 7519); whether its signature is right is for others to tell. */
export interface Decoded {
  header: Record<string, unknown>
  payload: Record<string, unknown>
}

/** Decodes a token without asking anybody. Undefined for what is no JSON Web Token. */
export function decode(token: string): Decoded | undefined {
  const [header, payload, signature] = token.split('.')
  if (!header || !payload || signature === undefined) return undefined
  try {
    return { header: partOf(header), payload: partOf(payload) }
  } catch {
    return undefined
  }
}

function partOf(encoded: string): Record<string, unknown> {
  const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  const part: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  if (typeof part !== 'object' || part === null || Array.isArray(part)) throw new TypeError('No object')
  return part as Record<string, unknown>
}
