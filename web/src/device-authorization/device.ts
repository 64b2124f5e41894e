import { decode } from '../ui/jwt.ts'
import type { Started, Tokens } from './device-flow.ts'

/** The built-in client that stands for a device. */
const clientId = 'passport-device-test'
const grantType = 'urn:ietf:params:oauth:grant-type:device_code'

export const deviceScopes = ['openid', 'profile', 'email', 'api_vertex_core'] as const

async function post(path: string, form: Record<string, string>, signal: AbortSignal) {
  const response = await fetch(path, { method: 'POST', body: new URLSearchParams(form), signal })
  return { isOk: response.ok, body: (await response.json()) as Record<string, unknown> }
}

/** What a device asks for. */
export interface Wish {
  scopes: string[]
  /** That whoever approves types a number which the device shows. */
  isMatched: boolean
  /** That its person types a PIN which whoever approves is shown. */
  isPinRequired: boolean
}

/** Begins as a device would (RFC 8628, section 3.1). Throws what the service says where it refuses. */
export async function startDevice(wish: Wish, signal: AbortSignal): Promise<Started> {
  const form = {
    client_id: clientId,
    scope: wish.scopes.join(' '),
    ...(wish.isMatched && { passport_match: 'number' }),
    ...(wish.isPinRequired && { passport_pin: 'required' }),
  }
  const { isOk, body } = await post('/connect/deviceauthorization', form, signal)
  if (!isOk) throw new Error(String(body['error_description'] ?? body['error']))
  return {
    deviceCode: String(body['device_code']),
    userCode: String(body['user_code']),
    verificationUri: String(body['verification_uri']),
    verificationUriComplete: String(body['verification_uri_complete']),
    expiresInSeconds: Number(body['expires_in']),
    intervalSeconds: Number(body['interval'] ?? 5),
    startedAt: Date.now(),
    matchNumber: body['passport_match'] === undefined ? undefined : String(body['passport_match']),
    isPinRequired: body['passport_pin'] === 'required',
  }
}

/** Asks once for the tokens: they, or the error of the token endpoint (RFC 8628, section 3.5). */
export async function pollTokens(deviceCode: string, signal: AbortSignal): Promise<Tokens | { error: string }> {
  const form = { grant_type: grantType, device_code: deviceCode, client_id: clientId }
  const { isOk, body } = await post('/connect/token', form, signal)
  if (!isOk) return { error: String(body['error']) }
  return {
    accessToken: String(body['access_token']),
    scope: String(body['scope']),
    expiresInSeconds: Number(body['expires_in']),
    claims: decode(String(body['id_token'] ?? ''))?.payload ?? {},
  }
}
