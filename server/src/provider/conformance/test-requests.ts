import { createHash } from 'node:crypto'

// The requests of the comparison.

export const secret = 'a secret: of 50 % + 32 characters'
export const redirectUri = 'https://shop.example/callback'
export const otherUri = 'https://other.example/callback?kept=1'
export const verifier = 'v'.repeat(43)
export const challenge: string = createHash('sha256').update(verifier).digest('base64url')
export const orders = 'https://orders.example'

export type Parameters = Record<string, string | undefined>

/** The header by which a client authenticates with its secret. */
export const basic = (id = 'shop', value = secret): { authorization: string } => ({
  authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(value)}`)}`,
})

const form = (body: Parameters | string) =>
  typeof body === 'string'
    ? body
    : new URLSearchParams(
        Object.entries(body).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value] as [string, string]],
        ),
      )

/** A request with a form, by default of the shop. */
export const post = (body: Parameters | string, headers: Record<string, string> = basic()): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  body: `${form(body)}`,
})

/** Builds the path of the usual authorization request with some other parameters; undefined ones are left out. */
export const authorizationPath = (changes: Parameters = {}): string =>
  `/connect/authorize?${form({
    client_id: 'shop',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    state: 'a state',
    nonce: 'a nonce',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...changes,
  })}`

export const exchangeForm = (code: string, changes: Parameters = {}): Parameters => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: redirectUri,
  code_verifier: verifier,
  ...changes,
})
