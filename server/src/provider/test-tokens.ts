import { createHash, randomBytes } from 'node:crypto'
import { exportJWK, type GenerateKeyPairResult, SignJWT } from 'jose'
import type { TestService } from '../test-service.ts'

/** The body of a response of the token endpoint. */
export interface TokenBody {
  access_token?: string
  id_token?: string
  refresh_token?: string
  scope?: string
  token_type?: string
  error?: string
  error_description?: string
}

export interface TokenOutcome extends TokenBody {
  status: number
  headers: Headers
}

/** Sends a request to the token endpoint; returns the status with the members of the body. */
export async function requestTokens({ url }: Pick<TestService, 'url'>, init: RequestInit): Promise<TokenOutcome> {
  const response = await fetch(`${url}/connect/token`, init)
  const body = (await response.json()) as TokenBody
  return { status: response.status, headers: response.headers, ...body }
}

/** Creates a verifier with its challenge, as parameters of the authorization request. */
export function createChallenge() {
  const verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  return { verifier, parameters: { code_challenge, code_challenge_method: 'S256' } }
}

/** Signs a DPoP proof for the token endpoint of a service. */
export const createProof = async (
  { url }: Pick<TestService, 'url'>,
  { privateKey, publicKey }: GenerateKeyPairResult,
  claims: Record<string, unknown> = {},
): Promise<string> =>
  new SignJWT({ jti: crypto.randomUUID(), htm: 'POST', htu: `${url}/connect/token`, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
    .setIssuedAt()
    .sign(privateKey)
