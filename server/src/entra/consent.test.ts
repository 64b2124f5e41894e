import * as api from '@passport/contract/entra'
import { addOrgDomain, verifyOrgDomain } from '@passport/contract/org-domains'
import { createOrg, deleteOrg, getOrg } from '@passport/contract/orgs'
import { startNameServer } from '@passport/world/dns'
import { guidOf } from '@passport/world/entra/tenants'
import { startMailServer } from '@passport/world/mail'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as orgs from '../orgs/store.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { answerConsent, createTenant, type EntraService, startEntraService } from './test-entra.ts'

let entra: EntraService
let nameServer: Awaited<ReturnType<typeof startNameServer>>
let mail: Awaited<ReturnType<typeof startMailServer>>
const tenants = Array.from({ length: 30 }, (_, index) => createTenant(index + 1))
beforeAll(async () => {
  nameServer = await startNameServer()
  onFileEnd(nameServer.close)
  mail = await startMailServer()
  onFileEnd(mail.stop)
  const env = { SMTP_URL: mail.smtpUrl, MAIL_FROM: 'id@stage.example', DNS_RESOLVER: nameServer.address }
  entra = await startEntraService({ tenants, env })
})
beforeEach(() => entra.entra.setFault('none'))

let serial = 0
/** Creates an organisation from a tenant that no other test uses. */
async function createConsenting(verifiedDomains?: string[]) {
  const tenant = tenants[serial++]
  if (!tenant) throw new Error('There are not enough tenants')
  if (verifiedDomains) tenant.verifiedDomains = verifiedDomains
  const { org, consentUrl } = await entra.ada.call(api.createEntraOrg, { body: { tenantId: tenant.id } })
  return { tenant, orgId: org.id, consentUrl, read: () => entra.ada.call(getOrg, { params: { orgId: org.id } }) }
}
/** Opens a URL of the service in the browser of the administrator; returns where it leads. */
const supportCode = /&support=[0-9A-F]{4}-[0-9A-F]{4}$/
const openAsAdministrator = async (url: string) => {
  const response = await entra.ada.fetch(url)
  expect(response.status).toBe(303)
  const location = response.headers.get('location') ?? ''
  if (location.includes('consent=failed')) expect(location).toMatch(supportCode)
  return location.replace(supportCode, '')
}
const consent = async (consentUrl: string, answer: Parameters<typeof answerConsent>[1] = {}) =>
  openAsAdministrator(await answerConsent(consentUrl, answer))
const listEvents = (orgId: string, action: string) => entra.service.sql`
  select actor_id, before, after, reason from audit_events where action = ${action} and target_id = ${orgId} order by at`

describe('a consent', () => {
  test('is granted with the name and the domains of the tenant', async () => {
    const { tenant, orgId, consentUrl, read } = await createConsenting()
    const before = await read()
    expect(await consent(consentUrl)).toBe(`/app/admin/orgs/${orgId}?consent=granted`)
    const org = await read()
    expect(org).toMatchObject({
      name: tenant.displayName,
      slug: before.slug,
      entra: {
        consent: 'granted',
        consentedAt: expect.any(String),
        consentLinkExpiresAt: null,
        consentFailure: null,
        displayName: tenant.displayName,
        defaultDomain: tenant.defaultDomain,
        rejectedDomains: [],
        signInEnabled: false,
      },
      domains: [{ domain: tenant.defaultDomain, status: 'verified', source: 'microsoft', failingSince: null }],
    })
    expect(org.version).toBeGreaterThan(before.version)
    expect(await listEvents(orgId, 'org.consent-granted')).toEqual([
      {
        actorId: entra.ada.id,
        before: { consent: 'pending' },
        after: {
          consent: 'granted',
          tenantId: tenant.id,
          tenant: tenant.displayName,
          domains: [tenant.defaultDomain],
          rejectedDomains: [],
        },
        reason: null,
      },
    ])
    expect(await listEvents(orgId, 'org.changed')).toMatchObject([{ after: { name: tenant.displayName } }])
  })

  test('keeps a name that an administrator chose', async () => {
    const tenant = tenants[serial++]
    const body = { tenantId: tenant?.id ?? '', name: 'Our partner' }
    const { org, consentUrl } = await entra.ada.call(api.createEntraOrg, { body })
    await consent(consentUrl)
    const after = await entra.ada.call(getOrg, { params: { orgId: org.id } })
    expect(after).toMatchObject({ name: 'Our partner', entra: { displayName: tenant?.displayName } })
  })

  test.for(['granted', 'denied', 'of an unknown link'])(
    'that is %s shows the same page without a session of an administrator',
    async (kind) => {
      const { orgId, consentUrl, read } = await createConsenting()
      const callback = await answerConsent(consentUrl, { decision: kind === 'granted' ? 'accept' : 'cancel' })
      const url = kind === 'of an unknown link' ? callback.replace(/state=[^&]+/, 'state=x') : callback
      for (const name of [undefined, 'eve'] as const) {
        const response = await (await entra.service.as(name)).fetch(url)
        expect(response.status).toBe(200)
        expect(response.headers.get('cache-control')).toBe('no-store')
        const text = await response.text()
        expect(text).toContain('Thank you')
        expect(text).not.toMatch(new RegExp(`${orgId}|Company|company|grant|denied|fail|state`))
      }
      const { consent } = (await read()).entra ?? {}
      expect(consent).toBe(kind === 'granted' ? 'granted' : 'pending')
      if (kind === 'granted') expect(await listEvents(orgId, 'org.consent-granted')).toMatchObject([{ actorId: null }])
    },
  )

  test('that is denied is explained, and the next link works', async () => {
    const { orgId, consentUrl, read } = await createConsenting()
    expect(await consent(consentUrl, { decision: 'cancel' })).toBe(
      `/app/admin/orgs/${orgId}?consent=failed&code=consent-denied`,
    )
    expect((await read()).entra).toMatchObject({
      consent: 'pending',
      consentFailure: { code: 'consent-denied', permission: null, at: expect.any(String) },
    })
    expect(await listEvents(orgId, 'org.consent-failed')).toMatchObject([{ reason: 'consent-denied' }])
    const next = await entra.ada.call(api.createConsentLink, { params: { orgId } })
    expect((await read()).entra).toMatchObject({ consentFailure: null, consentLinkExpiresAt: next.expiresAt })
    expect(await consent(next.consentUrl)).toContain('consent=granted')
  })

  test('counts once for each link', async () => {
    const { orgId, consentUrl, read } = await createConsenting()
    const callback = await answerConsent(consentUrl)
    const results = await Promise.all(Array.from({ length: 8 }, () => openAsAdministrator(callback)))
    expect(results.filter((url) => url?.endsWith('consent=granted'))).toHaveLength(1)
    const used = `/app/admin/orgs/${orgId}?consent=failed&code=state-used`
    expect(results.filter((url) => url === used)).toHaveLength(7)
    expect((await read()).entra).toMatchObject({ consent: 'granted', consentFailure: null })
  })

  test('is not accepted after the link expired', async () => {
    const { orgId, consentUrl, read } = await createConsenting()
    const callback = await answerConsent(consentUrl)
    await entra.service.sql`update entra_consent_links set expires_at = now() where org_id = ${orgId}`
    expect(await openAsAdministrator(callback)).toBe(`/app/admin/orgs/${orgId}?consent=failed&code=state-expired`)
    const { consent, consentLinkExpiresAt, consentFailure } = (await read()).entra ?? {}
    expect([consent, consentFailure?.code]).toEqual(['pending', 'state-expired'])
    expect(Date.parse(consentLinkExpiresAt ?? '')).toBeLessThanOrEqual(Date.now())
  })

  test('is not accepted by a link that a newer one replaced', async () => {
    const { orgId, consentUrl, read } = await createConsenting()
    await entra.ada.call(api.createConsentLink, { params: { orgId } })
    expect(await consent(consentUrl)).toBe(`/app/admin/orgs/${orgId}?consent=failed&code=state-expired`)
    expect((await read()).entra).toMatchObject({ consent: 'pending', consentFailure: null })
  })

  test.for(['', '?state=', '?state=x&admin_consent=True&tenant=x'])('of no link is not accepted: %s', async (query) => {
    const response = await entra.ada.fetch(`/passport/connect/entra/adminconsent/callback${query}`)
    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(
      /belongs to no consent link[\s\S]*Support code <code>[0-9A-F]{4}-[0-9A-F]{4}</,
    )
  })

  test('that names another tenant is not accepted', async () => {
    const { orgId, consentUrl, read } = await createConsenting()
    entra.entra.setFault('forged-consent-tenant', { otherTenantId: guidOf('another') })
    expect(await consent(consentUrl)).toBe(`/app/admin/orgs/${orgId}?consent=failed&code=tenant-mismatch`)
    expect((await read()).entra?.consent).toBe('pending')
  })

  test('that the redirect only claims is not accepted', async () => {
    const { tenant, orgId, consentUrl, read } = await createConsenting()
    const state = new URL(consentUrl).searchParams.get('state') ?? ''
    const claimed = new URLSearchParams({ admin_consent: 'True', tenant: tenant.id.toUpperCase(), state })
    expect(await openAsAdministrator(`/passport/connect/entra/adminconsent/callback?${claimed}`)).toBe(
      `/app/admin/orgs/${orgId}?consent=failed&code=proof-failed`,
    )
    expect(await read()).toMatchObject({ domains: [], entra: { consent: 'pending' } })
  })

  test('without Organization.Read.All names the permission', async () => {
    const { orgId, consentUrl, read } = await createConsenting()
    entra.entra.setFault('no-organization-permission')
    expect(await consent(consentUrl)).toBe(`/app/admin/orgs/${orgId}?consent=failed&code=proof-failed`)
    expect((await read()).entra?.consentFailure).toMatchObject({
      code: 'proof-failed',
      permission: 'Organization.Read.All',
    })
  })

  test.for(['down', 'server-error', 'throttled'] as const)('is not accepted if the cloud is %s', async (fault) => {
    const { consentUrl, read } = await createConsenting()
    const callback = await answerConsent(consentUrl)
    entra.entra.setFault(fault)
    expect(await openAsAdministrator(callback)).toContain('code=proof-failed')
    expect((await read()).entra).toMatchObject({ consent: 'pending', consentFailure: { permission: null } })
  })

  test('is not accepted for an organisation in the trash', async () => {
    const { orgId, consentUrl } = await createConsenting()
    await entra.ada.call(deleteOrg, { params: { orgId }, query: {} })
    expect(await consent(consentUrl)).toContain('code=state-expired')
    const [row] = await entra.service.sql`select consent from entra_connections where org_id = ${orgId}`
    expect(row).toEqual({ consent: 'pending' })
  })
})

describe('the verified domains of a tenant', () => {
  const verifyByDns = async (orgId: string, domain: string) => {
    const params = { orgId, domain }
    const { dnsName, dnsValue } = await entra.ada.call(addOrgDomain, { params: { orgId }, body: { domain } })
    nameServer.records.set(dnsName, [dnsValue])
    return entra.ada.call(verifyOrgDomain, { params })
  }
  const runJob = (name: string) => entra.service.jobs.find((job) => job.name === name)?.run()

  test('become verified, except those of other organisations and public mail services', async () => {
    const other = await entra.ada.call(createOrg, { body: { name: 'Other' } })
    await verifyByDns(other.id, 'taken.example')
    const domains = ['b.example', 'taken.example', 'gmail.com', 'a.example', 'not a domain', 'B.example']
    const { orgId, consentUrl, read } = await createConsenting(domains)
    const rejectedDomains = [
      { domain: 'gmail.com', reason: 'public' },
      { domain: 'taken.example', reason: 'taken' },
    ]
    await entra.ada.call(addOrgDomain, { params: { orgId }, body: { domain: 'a.example' } })
    await consent(consentUrl)
    const org = await read()
    expect(org.domains.map(({ domain, status, source }) => [domain, status, source])).toEqual([
      ['a.example', 'verified', 'microsoft'],
      ['b.example', 'verified', 'microsoft'],
      [`company-${serial}.example`, 'verified', 'microsoft'],
    ])
    expect(org.entra?.rejectedDomains).toEqual(rejectedDomains)
    const { domains: kept } = await entra.ada.call(getOrg, { params: { orgId: other.id } })
    expect(kept).toMatchObject([{ domain: 'taken.example', status: 'verified', source: 'dns' }])
  })

  test('do not lapse without a DNS record, unlike one that DNS verified', async () => {
    const { orgId, consentUrl, read } = await createConsenting(['tenant.example', 'dns.example'])
    await verifyByDns(orgId, 'dns.example')
    await consent(consentUrl)
    nameServer.records.clear()
    await entra.service.sql`
      update org_domains set checked_at = now() - interval '9 days', failing_since = now() - interval '8 days'
      where org_id = ${orgId}`
    await runJob('recheck-domains')
    expect((await read()).domains.map(({ domain, status, source }) => [domain, status, source])).toEqual([
      [`company-${serial}.example`, 'verified', 'microsoft'],
      ['dns.example', 'lapsed', 'dns'],
      ['tenant.example', 'verified', 'microsoft'],
    ])
  })

  test('are free again when the organisation is in the trash', async () => {
    const { orgId, consentUrl } = await createConsenting(['moved.example'])
    await consent(consentUrl)
    await entra.ada.call(deleteOrg, { params: { orgId }, query: {} })
    const next = await createConsenting(['moved.example'])
    await consent(next.consentUrl)
    expect((await next.read()).domains.map(({ domain }) => domain)).toContain('moved.example')
  })

  test('go to one of two organisations that get them at the same time', async () => {
    const both = [await createConsenting(['shared.example']), await createConsenting(['shared.example'])]
    const callbacks = await Promise.all(both.map(({ consentUrl }) => answerConsent(consentUrl)))
    const results = await Promise.all(callbacks.map(openAsAdministrator))
    expect(results.every((url) => url?.endsWith('consent=granted'))).toBe(true)
    const read = await Promise.all(both.map(async ({ read }) => (await read()).entra?.rejectedDomains.length))
    expect(read.sort()).toEqual([0, 1])
  })

  describe('are checked each night', () => {
    test('with the names of the tenant; those that it lost lapse', async () => {
      const { tenant, orgId, consentUrl, read } = await createConsenting(['lost.example'])
      await consent(consentUrl)
      const before = await read()
      await runJob('check-consents')
      expect((await read()).version).toBe(before.version)
      tenant.displayName = 'Renamed'
      tenant.verifiedDomains = ['new.example']
      await runJob('check-consents')
      const after = await read()
      expect(after).toMatchObject({ name: before.name, entra: { displayName: 'Renamed', consent: 'granted' } })
      expect(after.domains.map(({ domain, status }) => [domain, status])).toEqual([
        [`company-${serial}.example`, 'verified'],
        ['lost.example', 'lapsed'],
      ])
      expect(await listEvents(orgId, 'org.domain-lapsed')).toMatchObject([{ before: { domain: 'lost.example' } }])
    })

    test('and a revoked consent is reported to the owners, once', async () => {
      const { tenant, orgId, consentUrl, read } = await createConsenting()
      await consent(consentUrl)
      const owner = await entra.service.as('dev')
      await orgs.addMembers(entra.service.sql, orgId, [owner.id], { role: 'owner', addedBy: owner.id })
      await entra.service.sql`update users set email = 'dev@company.example' where id = ${owner.id}`
      entra.entra.setFault('down')
      await runJob('check-consents')
      expect((await read()).entra?.consent).toBe('granted')
      entra.entra.setFault('none')
      entra.entra.revokeConsent(tenant.id)
      for (let run = 0; run < 2; run++) await runJob('check-consents')
      expect((await read()).entra?.consent).toBe('revoked')
      expect(await listEvents(orgId, 'org.consent-revoked')).toMatchObject([
        { actorId: null, before: { consent: 'granted' }, after: { consent: 'revoked', tenantId: tenant.id } },
      ])
      const mails = await entra.service.sql`select recipient from mails where recipient = 'dev@company.example'`
      expect(mails).toHaveLength(1)
    })

    test('and a revoked consent is reported to the administrators if the organisation has no owner', async () => {
      const { tenant, orgId, consentUrl, read } = await createConsenting()
      await consent(consentUrl)
      await entra.service.sql`update users set email = 'ada@company.example' where id = ${entra.ada.id}`
      entra.entra.revokeConsent(tenant.id)
      await runJob('check-consents')
      expect((await read()).entra?.consent).toBe('revoked')
      const { text } = await mail.waitForMailTo('ada@company.example')
      expect(text).toContain(`/app/admin/orgs/${orgId}`)
    })
  })
})

test('old links are deleted, except the last one of an organisation', async () => {
  const { orgId } = await createConsenting()
  await entra.ada.call(api.createConsentLink, { params: { orgId } })
  await entra.service.sql`
    update entra_consent_links set expires_at = now() - interval '8 days' where org_id = ${orgId}`
  await entra.service.jobs.find(({ name }) => name === 'sweep')?.run()
  const links = await entra.service.sql`select replaced_at from entra_consent_links where org_id = ${orgId}`
  expect(links).toEqual([{ replacedAt: null }])
})
