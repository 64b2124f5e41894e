import { setTimeout as pause } from 'node:timers/promises'

/** A client-credentials client of Passport, as in its setting `CLIENTS`. */
export interface ServiceClient {
  clientId: string
  clientName: string
  clientSecret: string
  scopes: string[]
}

const retryDelayMs = 200

/** Waits until Passport responds, and requests a token (RFC 6749, section 4.4). Rejects when `signal` aborts. */
export async function requestToken(passportUrl: string, client: ServiceClient, signal: AbortSignal): Promise<string> {
  while (!(await isUp(passportUrl, signal))) await pause(retryDelayMs, undefined, { signal })
  const secret = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')
  const { access_token } = (await fetchJson(`${passportUrl}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${secret}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: client.scopes.join(' ') }),
    signal,
  })) as { access_token: string }
  return access_token
}

const isUp = (url: string, signal: AbortSignal): Promise<boolean> =>
  fetch(`${url}/.well-known/openid-configuration`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  )

/** Fetches JSON; rejects unless the response is a success. */
export async function fetchJson(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${await response.text()}`)
  return response.json()
}
