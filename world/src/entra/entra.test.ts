import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as client from 'openid-client'
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest'
import { type EntraTenant, startEntra } from './entra.ts'
import { faults } from './faults.ts'
import { guidOf } from './tenants.ts'

const application = { clientId: guidOf('application'), clientSecret: 'secret+of/the application' }
const redirectUri = 'http://localhost:9/login/callback/entra'
const consentRedirectUri = 'http://localhost:9/consented'

const entra = await startEntra({ ...application, redirectUris: [redirectUri], consentRedirectUri })
afterEach(() => {
  entra.setFault('none')
  for (const { id } of entra.tenants) entra.revokeConsent(id)
})
afterAll(entra.stop)

const findTenant = (domain: string): EntraTenant => {
  const tenant = entra.tenants.find(({ verifiedDomains }) => verifiedDomains.includes(domain))
  if (!tenant) throw new Error(`no tenant has ${domain}`)
  return tenant
}

const discover = (tenantId: string) =>
  client.discovery(
    new URL(`${entra.authority}/${tenantId}/v2.0`),
    application.clientId,
    { [client.clockTolerance]: 300 },
    client.ClientSecretBasic(application.clientSecret),
    { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] },
  )

/** Signs in as a client with PKCE does, and returns the claims of the verified ID token. */
async function signIn(email: string, parameters: Record<string, string> = {}) {
  const tenant = findTenant(email.split('@')[1] ?? '')
  const config = await discover(tenant.id)
  const verifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    login_hint: email,
    state: 'state-1',
    nonce: 'nonce-1',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  const response = await fetch(url, { redirect: 'manual' })
  const callback = new URL(response.headers.get('location') ?? '')
  const checks = { pkceCodeVerifier: verifier, expectedState: 'state-1', expectedNonce: 'nonce-1' }
  const tokens = await client.authorizationCodeGrant(config, callback, checks)
  const claims: Record<string, unknown> = { ...tokens.claims() }
  return { claims, tenant }
}

test('signs in a person of a tenant with the claims of Entra', async () => {
  const { claims, tenant } = await signIn('mira.olsen@meridian.example')
  const [mira] = tenant.people
  expect(claims).toMatchObject({
    iss: `${entra.authority}/${tenant.id}/v2.0`,
    oid: mira?.oid,
    tid: tenant.id,
    ver: '2.0',
    acct: 0,
    preferred_username: 'mira.olsen@meridian.example',
    roles: ['Dispatcher'],
    groups: [guidOf('group Meridian Dispatch'), guidOf('group Meridian Everyone')],
  })
  expect(claims).not.toHaveProperty('auth_time')
})

test('issues an application token only after the consent of an administrator', async () => {
  const tenant = findTenant('vastra.example')
  const config = await discover(tenant.id)
  const scope = `${entra.graph}/.default`
  await expect(client.clientCredentialsGrant(config, { scope })).rejects.toMatchObject({
    error: 'unauthorized_client',
    error_description: expect.stringMatching(/^AADSTS700016: /),
  })

  const denied = await decide(tenant.id, 'cancel')
  expect(Object.fromEntries(denied.searchParams)).toMatchObject({ error: 'access_denied', state: 'state-2' })
  const accepted = await decide(tenant.id, 'accept')
  expect(Object.fromEntries(accepted.searchParams)).toMatchObject({
    admin_consent: 'True',
    tenant: tenant.id,
    state: 'state-2',
    scope: expect.stringContaining('https://graph.microsoft.com/Organization.Read.All'),
  })

  const { access_token: token } = await client.clientCredentialsGrant(config, { scope })
  const organization = await callGraph(token, '/organization')
  expect(organization.body).toMatchObject({
    value: [
      { id: tenant.id, displayName: 'Västra Engineering', verifiedDomains: [{ isDefault: true }, { isInitial: true }] },
    ],
  })
  entra.revokeConsent(tenant.id)
  await expect(client.clientCredentialsGrant(config, { scope })).rejects.toMatchObject({ error: 'unauthorized_client' })
})

test('lists the groups of a person whose ID token does not', async () => {
  const { claims, tenant } = await signIn('hugo.lindqvist@vastra.example')
  expect(claims).toMatchObject({ _claim_names: { groups: 'src1' } })
  expect(claims).not.toHaveProperty('groups')

  entra.grantConsent(tenant.id)
  const token = await requestGraphToken(tenant.id)
  const path = `/users/${claims['oid']}`
  const { body } = await callGraph(token, `${path}/getMemberObjects`, { securityEnabledOnly: true })
  expect(body['value']).toHaveLength(250)
  const first = await callGraph(token, `${path}/transitiveMemberOf?$top=200`)
  expect(first.body['value']).toHaveLength(200)
  const next = await fetch(String(first.body['@odata.nextLink']), { headers: { authorization: `Bearer ${token}` } })
  const last = (await next.json()) as { value: unknown[] }
  expect(last.value).toHaveLength(50)
  expect(last).not.toHaveProperty('@odata.nextLink')
})

test('refuses calls of Graph without a token or the permission', async () => {
  const tenant = findTenant('meridian.example')
  expect(await callGraph('unknown', '/organization')).toMatchObject({
    status: 401,
    body: { error: { code: 'InvalidAuthenticationToken' } },
  })
  entra.grantConsent(tenant.id, ['GroupMember.Read.All'])
  const token = await requestGraphToken(tenant.id)
  expect(await callGraph(token, '/organization')).toMatchObject({
    status: 403,
    body: { error: { code: 'Authorization_RequestDenied' } },
  })
})

test('names any tenant of the cloud by its domain and by its id, and says where its accounts are', async () => {
  const [home, marisol] = [findTenant('meridian.example'), findTenant('marisol.example')]
  entra.grantConsent(home.id)
  const token = await requestGraphToken(home.id)
  for (const name of ["DomainName(domainName='marisol.example')", `TenantId(tenantId='${marisol.id}')`])
    expect(await callGraph(token, `/tenantRelationships/findTenantInformationBy${name}`)).toMatchObject({
      status: 200,
      body: { tenantId: marisol.id, displayName: 'Marisol Hospitals', defaultDomainName: 'marisol.example' },
    })
  const unknown = "/tenantRelationships/findTenantInformationByDomainName(domainName='nowhere.example')"
  expect((await callGraph(token, unknown)).status).toBe(404)
  const readRealm = async (login: string, format: string) =>
    (await fetch(`${entra.authority}/getuserrealm.srf?login=${login}&${format}=1`)).text()
  expect(JSON.parse(await readRealm('x@marisol.example', 'json'))).toMatchObject({ NameSpaceType: 'Federated' })
  expect(await readRealm('x@meridian.example', 'xml')).toContain('<NameSpaceType>Managed</NameSpaceType>')
  expect(await readRealm('x@nowhere.example', 'xml')).toContain('<NameSpaceType>Unknown</NameSpaceType>')
})

test('signs in a person of any tenant at organizations, on the page', async () => {
  const config = await discover(guidOf('tenant orient'))
  expect(
    await (await fetch(`${entra.authority}/organizations/v2.0/.well-known/openid-configuration`)).json(),
  ).toMatchObject({
    issuer: `${entra.authority}/{tenantid}/v2.0`,
    token_endpoint: `${entra.authority}/organizations/oauth2/v2.0/token`,
  })
  const url = `${entra.authority}/organizations/oauth2/v2.0/authorize`
  const form = { client_id: application.clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid' }
  const page = await (await fetch(`${url}?${new URLSearchParams(form)}`)).text()
  for (const { people } of entra.tenants) for (const { oid } of people) expect(page).toContain(`value="${oid}"`)
  const person = findTenant('orient.example').people[0]?.oid ?? ''
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ ...form, person }),
    redirect: 'manual',
  })
  const tokens = await client.authorizationCodeGrant(config, new URL(response.headers.get('location') ?? ''))
  expect(tokens.claims()).toMatchObject({ tid: guidOf('tenant orient'), oid: person })
})

test.each([
  ['wrong-token-issuer', 'iss'],
  ['wrong-audience', 'aud'],
  ['wrong-nonce', 'nonce'],
  ['forged-signature', 'signature'],
  ['unpublished-key', 'key'],
  ['clock-far-ahead', 'nbf'],
  ['long-expired', 'exp'],
  ['metadata-issuer-changed', 'issuer'],
] as const)('a client rejects the sign-in for the fault %s', async (fault, attribute) => {
  entra.setFault(fault)
  const error = await signIn('mira.olsen@meridian.example').catch((error: Error) => error)
  expect(error).toBeInstanceOf(Error)
  const { message, cause } = error as Error
  expect(`${message} ${JSON.stringify(cause)} ${cause}`).toContain(attribute)
})

test.each([
  ['clock-ahead', {}],
  ['expired', {}],
  ['rotated-key', {}],
  ['guest', { acct: 1, idp: expect.stringMatching(/^https:\/\/sts\.windows\.net\//) }],
  ['auth-time', { auth_time: expect.any(Number) }],
  ['missing-oid', { oid: undefined }],
  ['foreign-tid', { tid: guidOf('tenant marisol') }],
  ['overage', { groups: undefined, _claim_names: { groups: 'src1' } }],
  ['overage-implicit', { groups: undefined, hasgroups: true }],
  ['overage-refused', { groups: undefined, _claim_names: { groups: 'src1' } }],
] as const)('a client that checks no more than OpenID Connect accepts the fault %s', async (fault, expected) => {
  entra.setFault(fault)
  const { claims } = await signIn('mira.olsen@meridian.example')
  expect({ ...{ oid: undefined, groups: undefined }, ...claims }).toMatchObject(expected)
})

test('the faults of Graph, keys and sign-in pages occur', async () => {
  const tenant = findTenant('meridian.example')
  entra.grantConsent(tenant.id)
  const token = await requestGraphToken(tenant.id)
  entra.setFault('overage-refused')
  const refused = await callGraph(token, `/users/${tenant.people[0]?.oid}/getMemberObjects`, {})
  expect(refused.status).toBe(403)

  const readKeyIssuer = async () => {
    const response = await fetch(`${entra.authority}/${tenant.id}/discovery/v2.0/keys`)
    return ((await response.json()) as { keys: { issuer: string }[] }).keys[0]?.issuer
  }
  expect(await readKeyIssuer()).toBe(`${entra.authority}/${tenant.id}/v2.0`)
  entra.setFault('key-issuer-mismatch')
  expect(await readKeyIssuer()).toBe(`${entra.authority}/${guidOf('tenant marisol')}/v2.0`)

  entra.setFault('cancelled')
  await expect(signIn('mira.olsen@meridian.example')).rejects.toMatchObject({ error: 'access_denied' })
  entra.setFault('none')
  await expect(signIn('mira.olsen@meridian.example', { prompt: 'none' })).rejects.toMatchObject({
    error: 'login_required',
  })
})

test('the faults of admin consent grant less than the redirect says', async () => {
  const { id } = findTenant('meridian.example')
  entra.setFault('consent-denied')
  expect((await decide(id, 'accept')).searchParams.get('error')).toBe('access_denied')
  entra.setFault('forged-consent-tenant', { otherTenantId: guidOf('tenant vastra') })
  expect((await decide(id, 'accept')).searchParams.get('tenant')).toBe(guidOf('tenant vastra'))
  await expect(requestGraphToken(guidOf('tenant vastra'))).rejects.toMatchObject({
    error: 'unauthorized_client',
  })
  entra.setFault('no-organization-permission')
  await decide(id, 'accept')
  expect((await callGraph(await requestGraphToken(id), '/organization')).status).toBe(403)
})

test('the faults of a cloud apply to the requests that they match', async () => {
  const { id } = findTenant('meridian.example')
  const read = (domain = 'meridian.example', signal?: AbortSignal) =>
    fetch(`${entra.authority}/${domain}/v2.0/.well-known/openid-configuration`, { ...(signal && { signal }) })
  const statusOf = async (domain?: string) => (await read(domain)).status

  expect(await (await read('nowhere.example')).json()).toMatchObject({ error: 'invalid_tenant', error_codes: [90002] })
  entra.setFault('invalid-tenant', { tenantId: id })
  expect([await statusOf(), await statusOf('vastra.example')]).toEqual([400, 200])
  entra.setFault('server-error', { times: 1 })
  expect([await statusOf(), await statusOf()]).toEqual([500, 200])
  entra.setFault('throttled', { path: /^\/graph\// })
  expect([await statusOf(), (await callGraph('', '/organization')).status]).toEqual([200, 429])
  entra.setFault('slow', { seconds: 0.01 })
  expect(await statusOf()).toBe(200)
  entra.setFault('down')
  await expect(read()).rejects.toThrow('fetch failed')
  entra.setFault('hang')
  await expect(read('meridian.example', AbortSignal.timeout(100))).rejects.toThrow('timeout')
  expect((await fetch(entra.authority)).status).toBe(200)
  expect(entra.requests).toContainEqual({ method: 'GET', path: '/graph/v1.0/organization' })
})

test('describes a government tenant by the endpoints of its own cloud', async () => {
  const id = guidOf('tenant elsewhere')
  const names = { displayName: 'Elsewhere', defaultDomain: 'elsewhere.example', verifiedDomains: [] }
  entra.tenants.push({ id, ...names, people: [], home: { id: 'AzureUSGovernment', authority: 'http://localhost:9' } })
  const response = await fetch(`${entra.authority}/elsewhere.example/v2.0/.well-known/openid-configuration`)
  expect(await response.json()).toMatchObject({
    issuer: `http://localhost:9/${id}/v2.0`,
    token_endpoint: `http://localhost:9/${id}/oauth2/v2.0/token`,
    cloud_instance_name: 'microsoftonline.us',
  })
})

test('consents outlast a restart in a file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'entra-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const options = { ...application, redirectUris: [], consentRedirectUri, consentFile: `${directory}/consents.json` }
  for (const run of ['first', 'second', 'third']) {
    const cloud = await startEntra(options)
    const [tenant] = cloud.tenants
    const page = await (await fetch(cloud.authority)).text()
    expect(page.includes('Consent granted.')).toBe(run === 'second')
    if (run === 'first') cloud.grantConsent(tenant?.id ?? '')
    else cloud.revokeConsent(tenant?.id ?? '')
    await cloud.stop()
  }
})

test('the control page sets faults and permissions', async () => {
  const { id } = findTenant('meridian.example')
  const post = (path: string, form: string) =>
    fetch(`${entra.authority}/control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form,
    }).then((response) => response.text())
  for (const fault of Object.keys(faults)) {
    const page = await post('fault', `fault=${fault}`)
    expect(page).toContain(`<option value="${fault}" selected>`)
    for (const name of Object.keys(faults)) expect(page).toContain(`<option value="${name}"`)
  }
  entra.setFault('none')
  const page = await post('consent', `tenant=${id}&decision=grant&permission=GroupMember.Read.All`)
  expect(page).toContain('Consent granted.')
  const token = await requestGraphToken(id)
  expect((await callGraph(token, '/organization')).status).toBe(403)
  expect((await callGraph(token, '/groups')).status).toBe(200)
  await post('consent', `tenant=${id}&decision=revoke`)
  await expect(requestGraphToken(id)).rejects.toMatchObject({ error: 'unauthorized_client' })
})

/** Decides on the consent page of a tenant, and returns the URL of the redirect. */
async function decide(tenantId: string, decision: 'accept' | 'cancel'): Promise<URL> {
  const query = new URLSearchParams({
    client_id: application.clientId,
    redirect_uri: consentRedirectUri,
    state: 'state-2',
    scope: `${entra.graph}/.default`,
  })
  const url = `${entra.authority}/${tenantId}/v2.0/adminconsent?${query}`
  expect(await (await fetch(url)).text()).toContain('Permissions requested')
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ decision }), redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '')
}

async function requestGraphToken(tenantId: string): Promise<string> {
  const config = await discover(tenantId)
  return (await client.clientCredentialsGrant(config, { scope: `${entra.graph}/.default` })).access_token
}

async function callGraph(token: string, path: string, form?: object) {
  const response = await fetch(`${entra.graph}/v1.0${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(form && { method: 'POST', body: JSON.stringify(form) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
