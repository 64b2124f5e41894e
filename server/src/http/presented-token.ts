/** How a request came with its token: `DPoP` brings a proof that its sender holds the key of the token (RFC 9449). */
export interface Presented {
  scheme: 'bearer' | 'dpop'
  token: string
  proof: string | undefined
  /** The proof was looked at when the connection began, which goes on: it is good once (RFC 9449, section 11.1). */
  wasProven?: boolean
  method: string
  /** As the client knows it; its query does not count. */
  url: string
}

/** The token of an `Authorization` header, however it is presented. */
export function presentedToken(
  { authorization, dpop }: { authorization?: string | undefined; dpop?: string | string[] | undefined },
  method: string,
  url: string,
): Presented | undefined {
  const [, scheme = '', token = ''] = /^(bearer|dpop) +(.+)$/i.exec(authorization ?? '') ?? []
  if (!token) return undefined
  const proof = typeof dpop === 'string' ? dpop : undefined
  return { scheme: scheme.toLowerCase() as Presented['scheme'], token, proof, method, url }
}
