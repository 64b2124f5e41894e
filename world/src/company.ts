import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** An application of a company that keeps its permissions in Passport: a client-credentials client, without a user. */
export const company = {
  clientId: 'company',
  clientName: 'Company',
  clientSecret: 'known-to-everyone-who-reads-this-file',
  scopes: ['permissions.read', 'permissions.write'],
}

const retryDelayMs = 200
const sample = new URL('../../permissions/sample.yaml', import.meta.url)
const tools = '/passport/admin/tools/permissions'

/**
 * Imports the company's sample into Passport unless it has definitions already, and reports whether it did. Waits until
 * Passport responds; rejects when `signal` aborts.
 */
export async function importSample(passportUrl: string, signal: AbortSignal): Promise<boolean> {
  while (!(await isUp(passportUrl, signal))) await pause(retryDelayMs, undefined, { signal })
  const headers = { authorization: `Bearer ${await requestToken(passportUrl, signal)}` }
  const { definitions } = (await fetchJson(`${passportUrl}${tools}/schema`, { headers, signal })) as {
    definitions: { name: string }[]
  }
  if (definitions.some(({ name }) => !name.startsWith('passport/'))) return false
  await fetchJson(`${passportUrl}${tools}/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/plain' },
    body: readFileSync(sample, 'utf8'),
    signal,
  })
  return true
}

const isUp = (url: string, signal: AbortSignal): Promise<boolean> =>
  fetch(`${url}/.well-known/openid-configuration`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  )

async function requestToken(url: string, signal: AbortSignal): Promise<string> {
  const secret = Buffer.from(`${company.clientId}:${company.clientSecret}`).toString('base64')
  const { access_token } = (await fetchJson(`${url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${secret}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: company.scopes.join(' ') }),
    signal,
  })) as { access_token: string }
  return access_token
}

async function fetchJson(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${await response.text()}`)
  return response.json()
}
