import { decodeJwt } from '../ui/jwt.ts'
import type { DeviceAuthorizationResponse, Tokens } from './device-flow.ts'

/** The built-in client that simulates a device. */
const clientId = 'passport-device-test'
const grantType = 'urn:ietf:params:oauth:grant-type:device_code'

export const deviceScopes = ['openid', 'profile', 'email', 'api_vertex_core'] as const

async function post(path: string, form: Record<string, string>, signal: AbortSignal) {
  const response = await fetch(path, { method: 'POST', body: new URLSearchParams(form), signal })
  return { isOk: response.ok, body: (await response.json()) as Record<string, unknown> }
}

/** The settings of a device authorization request. */
export interface DeviceSettings {
  scopes: string[]
  /** Whether the approving user must type a number shown on the device. */
  isMatchRequired: boolean
  /** Whether the PIN shown to the approving user must be typed on the device. */
  isPinRequired: boolean
}

/**
 * Requests a device authorization (RFC 8628, section 3.1). Throws an error with the service's description on failure.
 */
export async function requestDeviceAuthorization(
  request: DeviceSettings,
  signal: AbortSignal,
): Promise<DeviceAuthorizationResponse> {
  const form = {
    client_id: clientId,
    scope: request.scopes.join(' '),
    ...(request.isMatchRequired && { passport_match: 'number' }),
    ...(request.isPinRequired && { passport_pin: 'required' }),
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

/** Polls once for the tokens; returns them or the token endpoint's error (RFC 8628, section 3.5). */
export async function pollTokens(deviceCode: string, signal: AbortSignal): Promise<Tokens | { error: string }> {
  const form = { grant_type: grantType, device_code: deviceCode, client_id: clientId }
  const { isOk, body } = await post('/connect/token', form, signal)
  if (!isOk) return { error: String(body['error']) }
  return {
    accessToken: String(body['access_token']),
    scope: String(body['scope']),
    expiresInSeconds: Number(body['expires_in']),
    claims: decodeJwt(String(body['id_token'] ?? ''))?.payload ?? {},
  }
}
