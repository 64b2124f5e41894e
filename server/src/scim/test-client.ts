import { createEntraOrg } from '@passport/contract/entra'
import { createScimToken } from '@passport/contract/scim'
import { guidOf } from '@passport/world/entra/tenants'
import type { EntraService } from '../entra/test-entra.ts'

type Json = Record<string, unknown>

/** A SCIM client of an organisation. */
export interface TestClient {
  orgId: string
  tenantId: string
  token: string
  send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; body: Json & { id: string }; headers: Headers }>
}

/** Creates the organisation of a tenant by its domain, with a token. */
export async function createTestClient({ ada, service }: EntraService, domain: string): Promise<TestClient> {
  const { org } = await ada.call(createEntraOrg, { body: { domain } })
  const params = { orgId: org.id }
  const { value } = await ada.call(createScimToken, { params, body: { name: 'Test', expiresInDays: 1 } })
  await service.sql`
    insert into org_domains (org_id, domain, status, challenge) values (${org.id}, ${domain}, 'verified', 'x')
    on conflict do nothing`
  const send: TestClient['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${service.url}/passport/scim/v2/${org.id}/${path}`, {
      method,
      headers: { authorization: `Bearer ${value}`, 'content-type': 'application/scim+json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      body: (text === '' ? {} : JSON.parse(text)) as Json & { id: string },
      headers: response.headers,
    }
  }
  return { orgId: org.id, tenantId: org.entra?.tenantId ?? '', token: value, send }
}

/** Returns a user as Microsoft Entra creates it. */
export const newUser = (userName: string, more: Json = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  externalId: guidOf(userName),
  userName,
  active: true,
  displayName: userName.split('@')[0],
  emails: [{ primary: true, type: 'work', value: userName }],
  ...more,
})

/** Returns the body of a PATCH request. */
export const patch = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})
