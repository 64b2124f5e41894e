/** The access token of a request. `dpop` adds a proof that the sender holds the key of the token (RFC 9449). */
export interface PresentedToken {
  scheme: 'bearer' | 'dpop'
  token: string
  proof: string | undefined
  /** The proof was verified at the start of this request, and is not checked again: it is valid once (section 11.1). */
  wasProven?: boolean
  method: string
  /** The public URL of the request; its query is ignored. */
  url: string
}

/** Reads the token of an `Authorization` header, with either scheme. */
export function readPresentedToken(
  { authorization, dpop }: { authorization?: string | undefined; dpop?: string | string[] | undefined },
  method: string,
  url: string,
): PresentedToken | undefined {
  const [, scheme = '', token = ''] = /^(bearer|dpop) +(.+)$/i.exec(authorization ?? '') ?? []
  if (!token) return undefined
  const proof = typeof dpop === 'string' ? dpop : undefined
  return { scheme: scheme.toLowerCase() as PresentedToken['scheme'], token, proof, method, url }
}
