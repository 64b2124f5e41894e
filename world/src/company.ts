import { readFileSync } from 'node:fs'
import { fetchJson, requestToken, type ServiceClient } from './client-token.ts'

/** An application of a company that keeps its permissions in Passport. */
export const company: ServiceClient = {
  clientId: 'company',
  clientName: 'Company',
  clientSecret: 'known-to-everyone-who-reads-this-file',
  scopes: ['permissions.read', 'permissions.write'],
}

const sample = new URL('../../permissions/sample.yaml', import.meta.url)
const tools = '/passport/admin/tools/permissions'

/**
 * Imports the company's sample into Passport unless it has definitions already, and reports whether it did. Waits until
 * Passport responds; rejects when `signal` aborts.
 */
export async function importSample(passportUrl: string, signal: AbortSignal): Promise<boolean> {
  const headers = { authorization: `Bearer ${await requestToken(passportUrl, company, signal)}` }
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
