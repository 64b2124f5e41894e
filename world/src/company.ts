import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** An application of a company, which keeps its permissions in Passport: a client for itself, with no person. */
export const company = {
  clientId: 'company',
  clientName: 'Company',
  clientSecret: 'known-to-everyone-who-reads-this-file',
  scopes: ['permissions.read', 'permissions.write'],
}

const betweenAttemptsMs = 200
const sample = new URL('../../permissions/sample.yaml', import.meta.url)
const tools = '/passport/admin/tools/permissions'

/**
 * Brings what the company defines to a Passport that has no such thing yet; tells whether it did. Waits until Passport
 * answers, or until the signal.
 */
export async function bringSample(passportUrl: string, signal: AbortSignal): Promise<boolean> {
  while (!(await isUp(passportUrl, signal))) await pause(betweenAttemptsMs, undefined, { signal })
  const headers = { authorization: `Bearer ${await tokenFrom(passportUrl, signal)}` }
  const { definitions } = (await answerOf(`${passportUrl}${tools}/schema`, { headers, signal })) as {
    definitions: { name: string }[]
  }
  if (definitions.some(({ name }) => !name.startsWith('passport/'))) return false
  await answerOf(`${passportUrl}${tools}/import`, {
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

async function tokenFrom(url: string, signal: AbortSignal): Promise<string> {
  const secret = Buffer.from(`${company.clientId}:${company.clientSecret}`).toString('base64')
  const { access_token } = (await answerOf(`${url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${secret}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: company.scopes.join(' ') }),
    signal,
  })) as { access_token: string }
  return access_token
}

async function answerOf(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}
